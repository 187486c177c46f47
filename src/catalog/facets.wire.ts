import { z } from 'zod';
import { FACETS, type FacetName } from './fact-filters.schema.js';

const amount = z.string().regex(/^-?\d+(\.\d+)?$/);

const facetWire = z
  .strictObject({
    values: z
      .array(z.strictObject({ value: z.string().describe('As the filter takes it.'), count: z.int() }))
      .max(50)
      .describe('The most frequent value first.'),
    unknown: z.int().describe('Number of offers that no value applies to: not stated, contradictory or another one.'),
  })
  .meta({ id: 'Facet' });

const priceFacet = z
  .array(z.strictObject({ currency: z.string().regex(/^[A-Z]{3}$/), min: amount, max: amount, count: z.int() }))
  .max(50)
  .describe(
    'Lowest and highest total per currency, the most frequent currency first; with `currency`, of price.display only.',
  );

const counted = FACETS.filter((name): name is Exclude<FacetName, 'price'> => name !== 'price');

/** `facets` of an availability response: the requested ones. */
export const facetsWire = z
  .strictObject({
    price: priceFacet.optional(),
    ...(Object.fromEntries(counted.map((name) => [name, facetWire.optional()])) as {
      readonly [name in (typeof counted)[number]]: z.ZodOptional<typeof facetWire>;
    }),
  })
  .describe('Present if facets were requested. Each counts the offers that pass all filters except its own.')
  .meta({ id: 'Facets' });

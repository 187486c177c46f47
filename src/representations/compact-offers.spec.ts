import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { expandCompact } from '../../test/support/expand-compact.js';
import { compactWire } from './compact.wire.js';
import { compactOffers } from './compact-offers.js';
import { offerWire } from './offers.wire.js';

/** Pseudorandom numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Texts of which each format of the schema accepts at least one. */
const TEXTS = ['USD', 'EUR', '12.50', '-3', '2027-05-01T10:00:00', '2027-05-01T10:00:00Z', '2027-05-01', '', 'ü "x"\n'];

/** A value that a schema accepts. Few different ones, so that some are equal. */
function generated(schema: z.core.$ZodType, random: () => number): unknown {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  if (schema instanceof z.ZodOptional) return random() < 0.4 ? undefined : generated(schema.unwrap(), random);
  if (schema instanceof z.ZodNullable) return random() < 0.3 ? null : generated(schema.unwrap(), random);
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, member]) => [name, generated(member as z.ZodType, random)]),
    );
  if (schema instanceof z.ZodArray)
    return Array.from({ length: Math.floor(random() * 3) }, () => generated(schema.element, random));
  if (schema instanceof z.ZodEnum) return pick(schema.options);
  if (schema instanceof z.ZodUnion) return generated(pick(schema.options), random);
  if (schema instanceof z.ZodBoolean) return random() < 0.5;
  if (schema instanceof z.ZodNumber) return Math.floor(random() * 3);
  return pick(TEXTS.filter((text) => z.safeParse(schema, text).success));
}

const offersOf = (seed: number, count: number): unknown[] => {
  const random = randomOf(seed);
  const offers = Array.from({ length: count }, () => generated(offerWire, random));
  return JSON.parse(JSON.stringify(offers)) as unknown[];
};
const bytesOf = (offers: readonly unknown[]) => offers.map((offer) => Buffer.from(JSON.stringify(offer)));

describe('the compact view', () => {
  it('has the same facts as the full one, whatever offers the schema allows: the documented code restores them', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const offers = offersOf(seed, 20);
      expect(z.array(offerWire).safeParse(offers).error).toBeUndefined();
      const compact = await compactOffers(bytesOf(offers), 'acc_a');
      expect(compactWire.safeParse(compact).error).toBeUndefined();
      expect([seed, expandCompact(compact)]).toEqual([seed, offers]);
    }
  });

  it('writes what offers share once', async () => {
    const [offer] = offersOf(3, 1);
    const once = await compactOffers(bytesOf([offer]), 'acc_a');
    const { offers: twice, ...tables } = await compactOffers(bytesOf([offer, offer]), 'acc_a');
    expect(twice).toEqual([...once.offers, ...once.offers]);
    expect({ ...once, offers: [] }).toEqual({ ...tables, offers: [] });
  });

  it('of no offers is empty', async () => {
    const { offers, ...tables } = await compactOffers([], 'acc_a');
    expect([offers, ...Object.values(tables)].every((rows) => rows.length === 0)).toBe(true);
  });
});

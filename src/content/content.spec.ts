import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { parse } from 'yaml';
import { LANGUAGES } from '../config/languages.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import type { BookingTraits, SupplierAdapter } from '../model/supplier.js';
import { BODIES, SIZES, silhouetteOf, silhouetteSvg } from '../representations/silhouettes.js';
import { markName, markOf, markSvg, readMark } from '../representations/supplier-mark.js';
import { ApiError } from '../status/api-error.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { contentAnswer } from './content-answer.js';
import { supplierView } from './supplier-view.js';
import { SuppliersService } from './suppliers.service.js';
import { supplierWire } from './suppliers.wire.js';
import { vehicleContent } from './vehicle-view.js';
import { vehicleContentWire } from './vehicles.wire.js';

const shipped = (id: string) =>
  supplierConfigSchema.parse(parse(readFileSync(`config/suppliers/${id}.yaml`, 'utf8')) as unknown);
const factsOf = (id: string) => {
  const config = shipped(id);
  return { config, adapter: createAdapter(config), state: 'live', brands: config.brands } as const;
};

describe('a supplier', () => {
  it.each(['abg', 'alpine', 'bravo', 'dune', 'ember'])('%s: what it can do is what its adapter implements', (id) => {
    const facts = factsOf(id);
    const view = supplierWire.parse(JSON.parse(JSON.stringify(supplierView(facts, 'en'))));
    const { adapter } = facts;
    expect(view.capabilities).toMatchObject({
      availability: 'searchVehicles' in adapter,
      book: 'book' in adapter,
      changes: adapter.booking?.changes ?? [],
    });
    expect(view.payments.map(({ value }) => value).includes('card')).toBe(adapter.booking?.takesCards === true);
    expect([view.support_phone !== undefined, view.terms.length > 0, view.cards.length > 0]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('that can only be searched takes no payments and no changes, even if its traits say otherwise', () => {
    const booking: BookingTraits = {
      findsByReference: false,
      takesCards: false,
      takesVouchers: false,
      takesExtras: false,
      takesAdditionalDrivers: false,
      takesLatePickup: false,
      takesCoverages: false,
      changes: ['contact'],
    };
    const adapter: SupplierAdapter = { brandsPerCall: 'many', booking };
    const { capabilities, payments } = supplierView({ ...factsOf('alpine'), adapter }, 'en');
    expect([capabilities.book, capabilities.modify, capabilities.changes, payments]).toEqual([false, false, [], []]);
  });

  it.each([
    ['live', 'available'],
    ['maintenance', 'maintenance'],
    ['drain', 'closed'],
  ] as const)('in the state %s is shown as %s', (state, shown) => {
    expect(supplierView({ ...factsOf('alpine'), state }, 'en').state).toBe(shown);
  });

  it('that is off or in shadow is as unknown as one that never existed', () => {
    const configs = (['live', 'shadow', 'off', 'drain'] as const).map((state) =>
      supplierConfigSchema.parse({ id: state, name: 'Uno', adapter: 'fake', brands: ['Uno'], state }),
    );
    const suppliers = new SuppliersService(
      new SupplierRegistry(configs, {
        urlOf: () => 'http://127.0.0.1:9',
        unusable: () => undefined,
        createAdapter: () => ({ brandsPerCall: 'many' }),
        retireMs: 0,
      }),
    );
    expect(suppliers.all('en').map(({ supplier }) => supplier)).toEqual(['live', 'drain']);
    const answersTo = ['shadow', 'off', 'nemo'].map((id) => {
      try {
        return suppliers.one(id, 'en');
      } catch (error) {
        return error instanceof ApiError ? error.problems : error;
      }
    });
    expect(answersTo).toEqual(Array(3).fill([expect.objectContaining({ reason: 'resource_failure' })]));
    expect(new Set(answersTo.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('has names in the language of the answer; its own texts keep theirs', () => {
    const view = supplierView(factsOf('alpine'), 'fr');
    expect(view.payments.find(({ value }) => value === 'card')?.name).toBe('Carte');
    expect(view.terms[0]).toMatchObject({ language: 'de', text: expect.stringContaining('Mietbedingungen') });
  });
});

describe('the content of a SIPP code', () => {
  it.each([
    ['ECMR', 'en', ['Economy', '2–4 doors', 'Manual', 'Unspecified', 'Yes'], 'hatchback-small'],
    ['ifdh', 'de', ['Mittelklasse', 'SUV', 'Automatik', 'Hybrid', 'Ja'], 'suv-medium'],
    ['LVAE', 'fr', ['9 places', 'Minibus', 'Automatique', 'Électrique', 'Oui'], 'minibus-large'],
    ['MVMD', 'es', ['Mini', 'Monovolumen', 'Manual', 'Diésel', 'Sí'], 'minivan-small'],
    ['FDAN', 'it', ['Grande', '4–5 porte', 'Automatico', 'Non specificato', 'No'], 'sedan-large'],
    ['EDMQ', 'pt', ['Económico', '4–5 portas', 'Manual', 'Gasóleo', 'Não'], 'hatchback-small'],
  ] as const)('%s in %s', (code, language, names, picture) => {
    const content = vehicleContentWire.parse(vehicleContent(code, language));
    const { category, type, transmission, fuel, air_conditioning: air, image } = content;
    expect([category, type, transmission, fuel, air].map((part) => part?.name)).toEqual(names);
    expect(image.url).toBe(`/images/vehicles/${picture}.svg`);
  });

  it('has the picture of any car if neither category nor body is known', () => {
    expect(vehicleContent('QCMR', 'en').image).toMatchObject({ url: '/images/vehicles/car-medium.svg', body: 'car' });
    expect(vehicleContent('QFMR', 'en').image.body).toBe('suv');
    expect(silhouetteOf(null, null)).toEqual({ body: 'car', size: 'medium' });
  });

  it('has null for letters that are unknown or ambiguous', () => {
    expect(vehicleContent('EDMI', 'en').air_conditioning).toBeNull();
    expect(vehicleContent('EDQQ', 'en')).toMatchObject({ transmission: null, drive: null });
  });

  it.each([
    ['ECM', 'invalid_format'],
    ['ECMRX', 'invalid_format'],
    ['EC1R', 'invalid_format'],
    ['../x', 'invalid_format'],
    ['QAQQ', 'resource_failure'],
  ])('%j is refused: %s', (code, reason) => {
    const refused = (): unknown => vehicleContent(code, 'en');
    expect(refused).toThrow(ApiError);
    expect(refused).toThrow(reason);
  });
});

describe('pictures', () => {
  it.each(BODIES.flatMap((body) => SIZES.map((size) => ({ body, size }))))('$body $size', (silhouette) => {
    const svg = silhouetteSvg(silhouette);
    expect(svg.length).toBeLessThan(1_200);
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).not.toMatch(/NaN|undefined|href|<script|<image|<text/);
  });

  it('a mark is read back from its name, and from no other', () => {
    const mark = markOf({ id: 'alpine', name: 'Alpine Rent' });
    expect([mark.letters, readMark(markName(mark))]).toEqual(['AR', mark]);
    for (const name of ['AR', 'AR-7', 'AR-360', 'AR-015', 'ar-15', 'ARX-15', '<b>-15', '-15', 'AR-15.svg', ''])
      expect(readMark(name)).toBeUndefined();
  });

  it.each([
    ['Émile & Söhne', 'ES'],
    ['Ember', 'EM'],
    ['李', 'UN'],
    ['<script>', 'SC'],
  ])('the mark of %s has only letters and digits: %s', (name, letters) => {
    expect(markOf({ id: 'uno', name }).letters).toBe(letters);
    expect(markSvg(markOf({ id: 'uno', name }))).not.toContain('script');
  });
});

test('each language of an answer has its own ETag, and caches are asked to keep them apart', () => {
  const answers = LANGUAGES.map((language) =>
    contentAnswer({ names: {} }, { language, ifNoneMatch: undefined, maxAgeSeconds: 60 }, { startedAt: 0 }),
  );
  expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(LANGUAGES.length);
  for (const { headers } of answers) expect(headers.vary).toBe('authorization, accept-language');
});

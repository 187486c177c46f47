import { expect, test } from '@jest/globals';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import type { RentalRequest } from '../model/bookings.js';
import type { VehicleSearch } from '../model/offers.js';
import type { SupplierAdapter, SupplierContext } from '../model/supplier.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { limitImages } from './image-hosts.js';
import { SupplierConnection } from './supplier-connection.js';

class Pictured implements SupplierAdapter {
  readonly brandsPerCall = 'many';
  readonly #url: string;
  constructor(url: string) {
    this.#url = url;
  }
  priceCheck() {
    const offer = { ...sampleOffer, vehicle: { ...sampleOffer.vehicle, imageUrl: this.#url } };
    return Promise.resolve({ items: [offer], warnings: [] });
  }
}

const HOSTS = ['img.example', 'cdn.example'];

test.each([
  ['https://img.example/a.png', true],
  ['https://cdn.example/a.png?w=3', true],
  ['http://img.example/a.png', false],
  ['https://evil.example/a.png', false],
  ['https://img.example.evil.example/a.png', false],
  ['https://user:secret@img.example/a.png', false],
  ['https://img.example@evil.example/a.png', false],
  ['https://img.example:8443/a.png', false],
  ['javascript:alert(1)', false],
  ['//img.example/a.png', false],
  ['a.png', false],
])('a picture at %s is shown: %s', async (url, isShown) => {
  const adapter = limitImages(new Pictured(url), HOSTS);
  const answer = await adapter.priceCheck?.({} as RentalRequest, {} as SupplierContext);
  expect(answer?.items.map(({ vehicle }) => vehicle.imageUrl)).toEqual([isShown ? url : undefined]);
  expect(answer?.items[0]?.vehicle.name).toBe(sampleOffer.vehicle.name);
  expect('searchVehicles' in adapter).toBe(false);
});

test.each([
  ['content.imageHosts.0', { imageHosts: ['https://img.example'] }],
  ['content.supportPhone', { supportPhone: '0800 555 0100' }],
  ['content.acceptedCards.0', { acceptedCards: ['vissa'] }],
  ['content.terms.0.url', { terms: [{ kind: 'rental', language: 'en', url: 'http://terms.example' }] }],
  ['content.terms.0', { terms: [{ kind: 'rental', language: 'en' }] }],
  ['content.terms.0.language', { terms: [{ kind: 'rental', language: 'English', text: 'Text' }] }],
])('a supplier file with an invalid %s is refused', (path, content) => {
  const file = { id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], content };
  const { error } = supplierConfigSchema.safeParse(file);
  expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
});

test('a connection limits pictures of answers that were read in another thread as well', async () => {
  const large = { send: () => Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(70_000, 'x') }) };
  const offer = { ...sampleOffer, vehicle: { ...sampleOffer.vehicle, imageUrl: 'https://evil.example/a.png' } };
  const adapter: SupplierAdapter = {
    brandsPerCall: 'many',
    searchVehicles: async (_search, { http }) => {
      await http.send({ method: 'GET', path: '/' });
      throw new Error('a large answer must be read elsewhere');
    },
  };
  const file = { id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], content: { imageHosts: HOSTS } };
  const elsewhere = () => Promise.resolve({ kind: 'answered' as const, answer: { items: [offer], warnings: [] } });
  const config = supplierConfigSchema.parse(file);
  const connection = new SupplierConnection(config, adapter, 'http://127.0.0.1:9', { elsewhere });
  const answer = await connection.adapter.searchVehicles?.({} as VehicleSearch, { http: large } as never);
  expect(answer?.items.map(({ vehicle }) => vehicle.imageUrl)).toEqual([undefined]);
});

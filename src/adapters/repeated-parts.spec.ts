import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { threadMs } from '../../test/support/thread-time.js';
import { type Operation, type SupplierAdapter, SupplierError } from '../model/supplier.js';
import { boundedAdapter, INLINE_BYTES } from '../suppliers/answers/bounded-adapter.js';
import { adapter as abg, booking as abgBooking, key as abgKey, rental as abgRental } from './abg/fixtures/setting.js';
import { elementNames, type Repetition, repeatedElements, repeatedMembers } from './fixtures/repetitions.js';
import { createOtaXmlAdapter } from './ota-xml/adapter.js';
import { request as otaBooking, key as otaKey } from './ota-xml/fixtures/booking.js';
import { search, settings } from './ota-xml/fixtures/setting.js';
import { shippedAdapter } from './rest/fixtures/shipped.js';

const LIMIT_MS = 50;
/** The first answers also pay for compiling, and a busy machine makes each slower, but not as much as this. */
const ROUNDS = 10;
/** Moments in which the machine is slow last longer than the first rounds: the others wait for a better one. */
const QUICK_ROUNDS = 5;
const PAUSE_MS = 1_000;
const HOPELESS_MS = 500;

type Questions = Partial<Record<Operation, object>>;

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Processor time of reading an answer, which the supplier gives to every call. */
async function timeOf(adapter: SupplierAdapter, operation: Operation, question: object, body: Buffer): Promise<number> {
  const perform = adapter[operation] as (asked: object, context: object) => Promise<unknown>;
  const context = { http: { send: async () => ({ status: 200, headers: {}, body }) } };
  const start = threadMs();
  await perform(question, { ...context, requestId: 'req_1', environment: 'sandbox', now: 0, salt: 'x' }).catch(
    (error: unknown) => {
      if (!(error instanceof SupplierError)) throw error;
    },
  );
  return threadMs() - start;
}

/** The repetitions that take longer than the limit each time. */
async function slow(adapter: SupplierAdapter, questions: Questions, all: readonly Repetition[]): Promise<string[]> {
  const bounded = boundedAdapter(adapter);
  const found: string[] = [];
  for (const { what, body } of all) {
    const bytes = Buffer.from(body);
    expect(bytes.length).toBeLessThanOrEqual(INLINE_BYTES);
    for (const [operation, question] of Object.entries(questions) as [Operation, object][]) {
      let best = Number.POSITIVE_INFINITY;
      let last = 0;
      for (let round = 0; round < ROUNDS && best >= LIMIT_MS && last < HOPELESS_MS; round += 1) {
        if (round >= QUICK_ROUNDS) await wait(PAUSE_MS);
        last = await timeOf(bounded, operation, question, bytes);
        best = Math.min(best, last);
      }
      if (best >= LIMIT_MS) found.push(`${operation}: ${what}: ${Math.round(best)} ms`);
    }
  }
  return found;
}

const FOLDER = './ota-xml/fixtures/';
const documents = readdirSync(new URL(FOLDER, import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.xml'))
  .sort()
  .map((file) => read(FOLDER + file));

const numbered = { confirmationNumber: 'CH-4711' };
const MESSAGES: readonly (readonly [message: string, questions: Questions])[] = [
  ['OTA_VehLocSearchRS', { searchLocations: { keyword: 'Geneva', brands: ['Alpine'] } }],
  ['OTA_VehLocDetailRS', { locationDetails: { brand: 'Alpine', location: search.pickup } }],
  ['OTA_VehAvailRateRS', { searchVehicles: search }],
  ['OTA_VehRateRuleRS', { priceCheck: otaBooking }],
  ['OTA_VehResRS', { book: otaBooking }],
  ['OTA_VehModifyRS', { modify: { ...otaBooking, ...numbered, changes: ['remark'] } }],
  ['OTA_VehRetResRS', { retrieve: { ...otaKey, ...numbered } }],
  ['OTA_VehCancelRS', { cancel: { ...otaKey, ...numbered } }],
];

const abgSearch = { ...search, ...abgRental, brands: ['Avis'] };
const place = { countryCode: 'US' };
const restSearch = { ...search, pickup: place, dropoff: place };
/** The answers of the dialects in JSON. */
const JSON_ANSWERS: readonly (readonly [file: string, adapter: SupplierAdapter, questions: Questions])[] = [
  ['abg/fixtures/locations-dirty.200.json', abg, { searchLocations: { keyword: 'x', brands: ['Avis'] } }],
  ['abg/fixtures/vehicles-dirty.200.json', abg, { searchVehicles: abgSearch }],
  ['abg/fixtures/rates-chosen.200.json', abg, { priceCheck: abgRental }],
  ['abg/fixtures/reservation.201.json', abg, { book: abgBooking, retrieve: abgKey }],
  ...['dune', 'ember'].flatMap((id) => {
    const [adapter, brands] = [shippedAdapter(id), [id === 'dune' ? 'Dune' : 'Ember']];
    const [locations, vehicles] = id === 'dune' ? ['stations', 'vehicles'] : ['depots', 'cars'];
    return [
      [`rest/fixtures/${id}/${locations}.200.json`, adapter, { searchLocations: { keyword: 'x', brands } }],
      [`rest/fixtures/${id}/${vehicles}.200.json`, adapter, { searchVehicles: { ...restSearch, brands } }],
    ] as const;
  }),
];

claim.each([
  ...MESSAGES.map(([message, questions]) => {
    const own = documents.filter((xml) => xml.includes(message));
    const all = () => repeatedElements(own, documents, INLINE_BYTES);
    return [message, createOtaXmlAdapter(settings), questions, all] as const;
  }),
  ...JSON_ANSWERS.map(([file, adapter, questions]) => {
    return [file, adapter, questions, () => repeatedMembers(read(`./${file}`), INLINE_BYTES)] as const;
  }),
])(
  ['API4', 'API10', 'suppliers'],
  'An answer of 64 KiB takes less than 50 ms of processor time to read, whichever of its elements, lists or members is repeated until it has that size.',
  '%s',
  async (_name, adapter, questions, all) => {
    const repetitions = all();
    expect(repetitions.length).toBeGreaterThan(5);
    expect(await slow(adapter, questions, repetitions)).toEqual([]);
  },
  120_000,
);

/** Cars, each with a term of its own beside the one that all of them share. */
const carsWithText = (text: string): string => {
  const { pickupDate, dropoffDate } = search;
  const rental = `<VehRentalCore PickUpDateTime="${pickupDate}" ReturnDateTime="${dropoffDate}"/>`;
  const rate =
    '<RentalRate><RateQualifier><RateComments><RateComment>x</RateComment></RateComments></RateQualifier></RentalRate>';
  const car = `<VehAvail><VehAvailCore>${rate}<TotalCharge EstimatedTotalAmount="90" CurrencyCode="CHF"/></VehAvailCore></VehAvail>`;
  const message = `<Info><VendorMessages><VendorMessage><Paragraph><Text>${text}</Text></Paragraph></VendorMessage></VendorMessages></Info>`;
  const vendor = `<VehVendorAvail><Vendor Code="AL"/><VehAvails>${car.repeat(150)}</VehAvails>${message}</VehVendorAvail>`;
  return `<OTA_VehAvailRateRS><Success/><VehAvailRSCore>${rental}${vendor}</VehAvailRSCore></OTA_VehAvailRateRS>`;
};

it.each(['a', 'cancel ', '\u00e9'])('a text that all cars share is read once: %s', async (part) => {
  const room = INLINE_BYTES - Buffer.byteLength(carsWithText(''));
  const text = part.repeat(Math.floor(room / Buffer.byteLength(part)));
  expect(room).toBeGreaterThan(25_000);
  const shared = { what: 'a text', body: carsWithText(text) };
  expect(await slow(createOtaXmlAdapter(settings), { searchVehicles: search }, [shared])).toEqual([]);
});

it('every element that the ota-xml adapter reads is among those', () => {
  const names = elementNames(documents);
  const asked = new Set<string>();
  const sources = readdirSync(new URL('./ota-xml/', import.meta.url)).filter((file) => /(?<!\.spec)\.ts$/.test(file));
  for (const source of sources.map((file) => read(`./ota-xml/${file}`)))
    for (const [call] of source.matchAll(
      /\b(?:child|childrenNamed|items|textsOf|chargesOf)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g,
    ))
      for (const [, name = ''] of call.matchAll(/'([A-Z][A-Za-z]*[a-z])'/g)) asked.add(name);
  expect(asked.size).toBeGreaterThan(140);
  expect([...asked].filter((name) => !names.has(name))).toEqual([]);
});

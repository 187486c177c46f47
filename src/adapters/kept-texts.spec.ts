import { expect, it } from '@jest/globals';
import { heapOf } from '../../test/support/heap.js';
import { mapOpeningHours } from './abg/opening-hours.js';
import { mapVehicle } from './abg/vehicle-mapping.js';
import { text, type Wire } from './abg/wire.js';
import { attribute } from './ota-xml/wire.js';
import { textOf, textsOf } from './rest/values.js';
import { treeOfXml } from './rest/xml.js';
import { readXml } from './xml/read-xml.js';

const BLANKS = ' '.repeat(60_000);

/** Another time of day at each call: opening hours are remembered. */
let made = 0;
function nextTime(): string {
  made += 1;
  return `${1 + Math.floor(made / 40)}:${10 + (made % 40)}`;
}

/** A short text in a long one, as each reader returns it. */
it.each<[string, (short: string) => unknown]>([
  ['an attribute of OTA', (short) => attribute(readXml(`<A b="${BLANKS}${short}"/>`), 'b')],
  ['a text of abg', (short) => text(`${BLANKS}${short}`)],
  [
    'the name of a vehicle of abg',
    (short) => mapVehicle({ category: { name: `${short} or similar ${BLANKS}x` } } as Wire).name,
  ],
  ['opening hours of abg', () => mapOpeningHours(undefined, `${BLANKS}mon 0:00-${nextTime()}`)],
  ['texts of a list at a REST supplier', (short) => textsOf([`${BLANKS}${short}`], 100_000)[0]],
  [
    'an element of a REST supplier',
    (short) => treeOfXml({ body: Buffer.from(`<A>${BLANKS}${short}</A>`), headers: {} }, new Map()),
  ],
  ['a text of a REST supplier', (short) => textOf(`${BLANKS}${short}`, 100_000)],
])('%s does not keep the text around it in memory', (_reader, read) => {
  const one = (_: unknown, at: number): unknown => read(`a text of number ${at}`);
  expect(one(undefined, 7)).toBeDefined();
  // Otherwise, 200 texts have 12 MB.
  expect(heapOf(() => Array.from({ length: 200 }, one))).toBeLessThan(3_000_000);
});

import { describe, expect, it } from '@jest/globals';
import { createOtaXmlAdapter } from './adapter.js';
import { request } from './fixtures/booking.js';
import { contextWith, fixture, settings } from './fixtures/setting.js';

const PARAGRAPH =
  'Collision Damage Waiver (CDW) is not insurance. The purchase of CDW is optional and not required in order to rent a vehicle. ' +
  'CDW relieves the renter of responsibility for loss of or damage to the rental vehicle, including towing, storage and loss of use.';
const adapter = createOtaXmlAdapter(settings);

async function priced(from: string, to: string) {
  const body = String(fixture('rate-rule.xml'));
  if (!body.includes(from)) throw new Error(`the document has no ${from}`);
  const context = contextWith([Buffer.from(body.replace(from, to))]);
  const answer = await adapter.priceCheck?.({ ...request, extras: [], coverages: [] }, context);
  const { coverages, extras, terms } = answer?.items[0] ?? {};
  return { coverages: coverages?.map(({ name }) => name), extras: extras?.map(({ name }) => name), terms };
}
const coverage = (content: string, code = '7') =>
  priced('<Coverage CoverageType="7"/>', `<Coverage CoverageType="${code}">${content}</Coverage>`);
const details = (text: string, type = 'Description') => `<Details CoverageTextType="${type}">${text}</Details>`;

describe('a paragraph about a coverage', () => {
  const before = priced('<Coverage CoverageType="7"/>', '<Coverage CoverageType="7"/>');

  it('is a text of the offer, and the coverage has the name of its code', async () => {
    const { coverages, terms } = await coverage(details(PARAGRAPH));
    const plain = await before;
    expect(coverages).toEqual(plain.coverages);
    expect(terms).toEqual([
      ...(plain.terms ?? []),
      { kind: 'coverage', text: `Collision damage waiver: ${PARAGRAPH}` },
    ]);
  });

  it('leaves a short description the name', async () => {
    const { coverages, terms } = await coverage(`${details(PARAGRAPH)}<Description>CDW, 500 EUR excess</Description>`);
    expect(coverages).toContain('CDW, 500 EUR excess');
    expect(terms).toContainEqual({ kind: 'coverage', text: `CDW, 500 EUR excess: ${PARAGRAPH}` });
  });

  it('begins the name if the code says nothing', async () => {
    const { coverages, terms } = await coverage(details(PARAGRAPH), 'X9');
    const name = 'Collision Damage Waiver (CDW) is not insurance. The purchase of CDW is optional and not required in…';
    expect(coverages).toContain(name);
    expect(terms).toContainEqual({ kind: 'coverage', text: `${name}: ${PARAGRAPH}` });
  });

  it('isn’t added for a text that is short enough to be the name', async () => {
    const { coverages, terms } = await coverage(details('CDW'));
    expect(coverages).toContain('CDW');
    expect(terms).toEqual((await before).terms);
  });
});

it('a paragraph in place of the code of an option doesn’t cost the answer, and it can’t be chosen', async () => {
  const read = async (from: string, to: string) => {
    const context = contextWith([Buffer.from(String(fixture('rate-rule.xml')).replace(from, to))]);
    return (await adapter.priceCheck?.({ ...request, extras: [], coverages: [] }, context))?.items[0];
  };
  // A code of its own means something else than one of the list: 7 would be a collision damage waiver.
  const offer = await read('<Coverage CoverageType="7"/>', `<Coverage CoverageType="${PARAGRAPH}" Code="7"/>`);
  expect(offer?.coverages[1]).toMatchObject({ code: 'other', type: 'other', included: true });
  expect(offer?.coverages[1]?.name).toMatch(/^Collision Damage Waiver .*…$/);
  expect(offer?.terms.at(-1)?.text).toContain(PARAGRAPH);
  const extra = (await read('EquipType="13"', `EquipType="${PARAGRAPH}"`))?.extras[1];
  expect(extra).toMatchObject({ code: 'other', type: 'other', priceTotal: { amountMinor: 7_000, currency: 'CHF' } });
});

it('words in place of a code are the name of an option, and what it is chosen by', async () => {
  const words = await coverage('', 'Theft protection');
  expect(words.coverages).toContain('Theft protection');
  expect((await coverage('<Description>TP</Description>', 'Theft protection')).coverages).toContain('TP');
  expect((await coverage('', 'TP1')).coverages).toContain('Coverage');
  const seat = await priced('<Equipment EquipType="13"/>', '<Equipment EquipType="Baby seat"/>');
  expect(seat.extras).toContain('Baby seat');
});

it('an extra may have its name in an attribute', async () => {
  const named = '<Equipment EquipType="SCDW" Description="Zero Excess Protection"/>';
  expect((await priced('<Equipment EquipType="13"/>', named)).extras).toContain('Zero Excess Protection');
});

it('a paragraph about an extra is a text of the offer', async () => {
  const { extras, terms } = await priced(
    '<Equipment EquipType="13"/>',
    `<Equipment EquipType="13"><Description>${PARAGRAPH}</Description></Equipment>`,
  );
  expect(extras).toContain('Navigation system');
  expect(terms).toContainEqual({ kind: 'equipment', text: `Navigation system: ${PARAGRAPH}` });
});

it('texts about options never make an offer have more terms than it may', async () => {
  const many = Array.from(
    { length: 160 },
    (_none, index) =>
      `<PricedEquip><Equipment EquipType="${100 + index}"><Description>${PARAGRAPH}</Description></Equipment></PricedEquip>`,
  );
  const { terms } = await priced('<PricedEquips>', `<PricedEquips>${many.join('')}`);
  expect(terms).toHaveLength(100);
});

import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as abg from '../adapters/abg/fixtures/setting.js';
import { createOtaXmlAdapter } from '../adapters/ota-xml/adapter.js';
import { answering, request } from '../adapters/ota-xml/fixtures/booking.js';
import { fixture, settings } from '../adapters/ota-xml/fixtures/setting.js';
import type { Cancellation, Extra, SupplierOffer } from '../model/offers.js';
import { sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { type RentalView, rentalView } from '../representations/rental-view.js';
import { keptView, refuseUnkept } from './kept-view.js';

const facts = new LocationFactsCache(createSecretKey(Buffer.alloc(32, 7)));
const viewOf = (more: Partial<SupplierOffer>): RentalView => rentalView('uno', { ...sampleOffer, ...more }, facts);
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const conditions = (...texts: readonly string[]) => texts.map((text) => ({ kind: 'conditions', text }));
const ruled = (text: string): Cancellation => ({ rules: [{ text }], noShow: { text }, source: 'text' });
const long = 'x'.repeat(90_000);

describe('what a reservation keeps of an offer', () => {
  it('its texts as they are, up to 20,000 bytes', () => {
    const view = viewOf({ terms: conditions('y'.repeat(19_000)), cancellation: ruled('z'.repeat(500)) });
    expect(keptView(view)).toBe(view);
  });

  it.each<[string, Partial<SupplierOffer>]>([
    ['terms', { terms: conditions(long, long) }],
    ['terms in Thai', { terms: conditions('ก'.repeat(60_000)) }],
    ['a hundred terms', { terms: conditions(...Array.from({ length: 100 }, () => long.slice(0, 2_000))) }],
    ['rules of cancellation and a no-show', { cancellation: ruled(long) }],
    ['all of them', { terms: conditions(long, long), cancellation: ruled(long) }],
  ])('of longer texts the beginning, so that all of them have 20,000 bytes: %s', (_case, more) => {
    const kept = keptView(viewOf(more));
    const texts = [...kept.terms, ...kept.cancellation.rules, kept.cancellation.no_show].map((one) => one?.text ?? '');
    const bytes = texts.reduce((sum, text) => sum + bytesOf(text) - 2, 0);
    expect(bytes).toBeLessThanOrEqual(20_000);
    expect(bytes).toBeGreaterThan(19_000);
    expect(texts.every((text) => text === '' || text.endsWith('…'))).toBe(true);
  });

  it('short texts completely, and all the rest', () => {
    const terms = [{ kind: 'rental', url: 'https://terms.example.com' }, ...conditions('short', long)];
    const view = viewOf({ terms, cancellation: { rules: [{ fee: usd(5) }], source: 'structured' } });
    const kept = keptView(view);
    expect(kept).toEqual({
      ...view,
      terms: [...view.terms.slice(0, 2), { kind: 'conditions', text: expect.anything() }],
    });
    expect(view.terms[2]?.text).toBe(long);
  });
});

/** All 167 extras of ABG's contract, which its answers may list. */
const extras = Array.from({ length: 167 }, (_, at): Extra => {
  const price = { pricePerDay: usd(1_299), priceTotal: usd(9_093) };
  return {
    code: `E${at}`,
    type: 'roadside_assistance',
    name: 'Extended Roadside Assistance',
    ...price,
    maxQuantity: 3,
    mandatory: false,
  };
});

describe('an offer that a reservation can keep', () => {
  it('may have all extras of a contract and the longest texts', () => {
    const view = viewOf({ extras, terms: conditions(long, long), cancellation: ruled(long) });
    expect(() => refuseUnkept(view)).not.toThrow();
    expect(bytesOf(keptView(view))).toBeLessThan(62_000);
  });

  it.each<[string, Partial<SupplierOffer>]>([
    ['names', { extras: extras.map((extra) => ({ ...extra, name: 'ก'.repeat(300) })) }],
    [
      'URLs',
      { terms: Array.from({ length: 100 }, () => ({ kind: 'x', url: `https://uno.example/${'u'.repeat(2_000)}` })) },
    ],
    [
      'descriptions of charges',
      {
        price: {
          ...sampleOffer.price,
          items: Array.from({ length: 200 }, () => ({
            ...{ kind: 'fee' as const, description: 'd'.repeat(1_000), amount: usd(1), unit: 'rental' as const },
            ...{ quantity: 1, mandatory: true, includedInTotal: true, payable: 'now' as const },
          })),
        },
      },
    ],
  ])('is refused with %s of more than 100,000 bytes', (_case, more) => {
    expect(() => refuseUnkept(viewOf(more))).toThrow(/would keep \d+ bytes of it; the limit is 100000$/);
  });

  it('is every recorded answer, with all of its texts', async () => {
    const rules = ['rate-rule.xml', ...[1, 2, 3].map((at) => `2011b/rule-${at}.xml`)];
    const asked = { ...request, extras: [], coverages: [] };
    const answers = await Promise.all([
      abg.adapter.priceCheck?.(abg.rental, abg.answering(abg.recorded('rates-chosen.200.json'))),
      ...rules.map((file) => createOtaXmlAdapter(settings).priceCheck?.(asked, answering([fixture(file).toString()]))),
    ]);
    const views = answers.flatMap((answer) => answer?.items ?? []).map((offer) => rentalView('uno', offer, facts));
    expect(views).toHaveLength(5);
    for (const view of views) expect(keptView(view)).toBe(view);
    expect(Math.max(...views.map(bytesOf))).toBeLessThan(5_500);
  });
});

import { describe, expect, it } from '@jest/globals';
import { oneWarning } from '../../model/warnings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { contextWith, fixture, settings } from './fixtures/setting.js';

describe('mapping of locations', () => {
  const find = async (options: Record<string, unknown> = {}) => {
    const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
    const answer = await adapter.searchLocations?.(
      { keyword: 'genève', countryCode: 'CH', brands: ['Alpine'] },
      contextWith([fixture('locations.xml')]),
    );
    return answer ?? { items: [], warnings: [] };
  };

  it('maps an airport location completely', async () => {
    const { items } = await find({ locationCode: { context: 'OAG', template: '{iata}T01' } });
    expect(items[0]).toEqual({
      brand: 'Alpine',
      code: 'GVAT01',
      codeContext: 'oag',
      iataCode: 'GVA',
      name: 'Genève Cointrin & France',
      type: 'airport',
      counter: 'in_terminal',
      address: {
        lines: ["Route de l'Aéroport 21", 'Niveau Arrivées'],
        city: 'Genève',
        region: 'GE',
        postalCode: '1215',
        countryCode: 'CH',
      },
      latitude: 46.2381,
      longitude: 6.1089,
      phone: '+41 22 5550142',
      openingHours: [
        ...(['mon', 'tue', 'wed', 'thu', 'fri'] as const).map((day) => ({ day, open: '07:00', close: '24:00' })),
        { day: 'sat', open: '22:00', close: '24:00' },
        { day: 'sun', open: '00:00', close: '02:30' },
      ],
      specialHours: [
        { name: 'Christmas', from: '2026-12-24', to: '2026-12-26', slots: [{ open: '10:00', close: '14:00' }] },
        { from: '2027-01-01', to: '2027-01-01', slots: [] },
      ],
      afterHoursReturn: true,
      services: ['delivery', 'collection'],
      public: true,
      distance: { value: 3.5, unit: 'mi' },
    });
  });

  it.each([
    ['uk', 'GB'],
    ['EL', 'GR'],
  ])('reads the country %s as %s', async (stated, countryCode) => {
    const body = fixture('locations.xml').toString().replace('Code="ch"', `Code="${stated}"`);
    const adapter = createOtaXmlAdapter(settings);
    const answer = await adapter.searchLocations?.(
      { keyword: 'genève', countryCode: 'CH', brands: ['Alpine'] },
      contextWith([Buffer.from(body)]),
    );
    expect(answer?.items[0]?.address.countryCode).toBe(countryCode);
  });

  it('takes a missing country from the request, drops zero positions and marks locations that are not public', async () => {
    const { items, warnings } = await find();
    expect(items).toHaveLength(3);
    expect(items[1]).toMatchObject({
      code: 'GN4',
      codeContext: 'supplier',
      type: 'rail',
      phone: '(41) 022 555 0143',
      address: { countryCode: 'CH' },
    });
    expect(items[1]?.latitude).toBeUndefined();
    expect(items[1]?.iataCode).toBeUndefined();
    expect(items[2]).toMatchObject({ public: false, type: 'other', address: { countryCode: 'CH' } });
    expect(warnings).toEqual(oneWarning('row_dropped', 'location without code left out'));
  });

  it.each([
    ['one VehMatchedLoc', ''],
    ['several', '</VehMatchedLoc><VehMatchedLoc>'],
  ])('counts the LocationDetail elements of %s', async (_what, between) => {
    const found = async (count: number) => {
      const details = Array.from({ length: count }, (_, index) => `<LocationDetail Code="G${index}"/>`);
      const content = `${details[0]}${between}${details.slice(1).join('')}`;
      const body = `<OTA_VehLocSearchRS><Success/><VehMatchedLoc>${content}</VehMatchedLoc></OTA_VehLocSearchRS>`;
      const request = { keyword: 'genève', countryCode: 'CH', brands: ['Alpine'] };
      return createOtaXmlAdapter(settings).searchLocations?.(request, contextWith([Buffer.from(body)]));
    };
    expect((await found(1_000))?.items).toHaveLength(1_000);
    await expect(found(1_001)).rejects.toMatchObject({ fault: 'bad_payload' });
  });

  it('does not report an empty result if no location is readable', async () => {
    const unreadable = fixture('locations.xml')
      .toString()
      .replaceAll(/ (Code|ExtendedLocationCode)="/g, ' Unknown$1="');
    const { searchLocations } = createOtaXmlAdapter(settings);
    const asked = searchLocations?.({ keyword: 'genève', brands: ['Alpine'] }, contextWith([Buffer.from(unreadable)]));
    await expect(asked).rejects.toMatchObject({ fault: 'bad_payload' });
  });
});

import { describe, expect, it } from '@jest/globals';
import { ODD_TEXT } from '../representations/fixtures/odd-text.js';
import { reservationIn, sampleReservation, sampleView } from './fixtures/sample-reservation.js';
import type { Personal } from './reservation.js';
import { reservationWire } from './reservation.wire.js';
import { reservationView } from './reservation-view.js';

const oddPersonal: Personal = {
  driver: {
    firstName: ODD_TEXT,
    lastName: ODD_TEXT,
    email: ODD_TEXT,
    phone: ODD_TEXT,
    dateOfBirth: ODD_TEXT,
    licence: { number: ODD_TEXT, countryCode: ODD_TEXT, region: ODD_TEXT },
    address: { lines: [ODD_TEXT], city: ODD_TEXT, region: ODD_TEXT, postalCode: ODD_TEXT, countryCode: 'US' },
    loyalty: [{ number: ODD_TEXT }],
  },
  additionalDrivers: [{ firstName: ODD_TEXT, lastName: '' }],
  arrival: { carrierCode: 'BA', flightNumber: ODD_TEXT },
  remark: ODD_TEXT,
};

const written = (view: object): unknown => JSON.parse(JSON.stringify(view));

describe('a reservation on the wire', () => {
  it('has no members that only the gateway needs', () => {
    const view = { ...sampleView, lists_local: true, changed_later: [] } as const;
    const reservation = sampleReservation();
    expect(reservationView({ ...reservation, view })).toEqual(reservationView(reservation));
  });

  it('passes texts of callers and suppliers through unchanged', () => {
    const view = { ...sampleView, vehicle: { ...sampleView.vehicle, name: ODD_TEXT } };
    const shown = reservationWire.parse(
      written(reservationView(sampleReservation({ personal: oddPersonal, view, clientReference: ODD_TEXT }))),
    );
    expect(shown).toMatchObject({
      client_reference: ODD_TEXT,
      state_reason: 'accepted',
      vehicle: { name: ODD_TEXT },
      driver: { first_name: ODD_TEXT, address: { lines: [ODD_TEXT] }, loyalty: [{ number: ODD_TEXT }] },
      additional_drivers: [{ first_name: ODD_TEXT, last_name: '' }],
      remark: ODD_TEXT,
      included_coverages: [{ code: 'CDW', name: 'Collision damage waiver' }],
    });
  });

  it('omits members that describe the offer, and erased data', () => {
    const { personal: _erased, ...rest } = reservationIn('confirmed', { confirmationNumber: 'CN1' });
    const shown = reservationWire.parse(written(reservationView(rest)));
    for (const name of ['status', 'extras', 'coverages', 'dedupe_group', 'remark'])
      expect(shown).not.toHaveProperty(name);
    expect([shown.driver, shown.state, shown.state_reason]).toEqual([null, 'confirmed', 'on the way to confirmed']);
  });

  it('does not match the wire schema with an unknown state', () => {
    const view = { ...reservationView(sampleReservation()), state: 'lost' };
    expect(reservationWire.safeParse(written(view)).error?.issues.map(({ path }) => path)).toEqual([['state']]);
  });
});

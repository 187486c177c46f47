import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
}

describe('the fixtures', () => {
  const vehicles = fixture('vehicles-dirty.200.json');
  const locations = fixture('locations-dirty.200.json');
  it.each([
    ['address line "NA" and "Na"', /"address_line_2": "NA"[^}]*"address_line_3": "Na"/, locations],
    ['telephone padded with blanks', /"telephone": "[^"]+ {10,}"/, locations],
    ['telephone as a number', /"telephone": \d/, locations],
    ['location_code and location_name', /"location_code": [^}]*"location_name": /, locations],
    [
      'hours without leading zero, "0" for none',
      /"first_slot_open_time": "700"[^}]*"season_open_time": "0"/,
      locations,
    ],
    ['a second slot', /"second_slot_open_time": "1330"/, locations],
    ['hours past midnight', /"first_slot_open_time": "1800",\s+"first_slot_close_time": "200"/, locations],
    ['hours as text', /"hours": "Sun - Mon /, locations],
    ['hours text in an unknown format', /"hours": "call ahead"/, locations],
    ['24 hours as 0:00 AM - 12:00 AM', /0:00 AM - 12:00 AM and 0:00 AM - 12:00 AM/, vehicles],
    ['a location closed to the public', /Closed to Public/, locations],
    ['coordinates as text', /"lat": "27/, locations],
    ['coordinates as numbers', /"lat": 27/, locations],
    ['UK for GB', /"country_code": "UK"/, locations],
    ['state XX', /"state_name": "XX"/, locations],
    ['skip_the_queue inside the address', /"long": -80\.4,\s+"skip_the_queue": true/, locations],
    ['brand in capitals', /"brand": "BUDGET"/, locations],
    ['model as a number', /"model": 300/, vehicles],
    ['totals as text', /"reservation_total": "127\.75"/, vehicles],
    ['a total that is not a number', /"reservation_total": "on request"/, vehicles],
    ['two currencies in one answer', /"currency": "GBP"[\s\S]*"currency": "INR"/, vehicles],
    ['a currency in small letters', /"currency": "gbp"/, vehicles],
    ['a fee outside the total', /"included_in_total": false/, vehicles],
    ['a coupon only next to the vehicles', /"coupon": \{\s+"code": "PLUME20"/, vehicles],
    ['totals without a payment type', /"totals": \{/, vehicles],
    ['an invalid SIPP code', /"sipp_code": "IDAR1"/, vehicles],
    ['doors as a range', /"doors": "2\/4"/, vehicles],
    ['a row that is null', /^ {4}null,$/m, vehicles],
    ['a numeric error code', /"code": 609/, fixture('numeric-code.404.json')],
    ['trailing blanks in a reason', /"reason": "[^"]+ "/, fixture('wrapped-sold-out.404.json')],
    ['several errors, request_errors 1', /"request_errors": 1[\s\S]*"code"[\s\S]*"code"/, fixture('several.400.json')],
  ])('include %s', (_trap, shape, text) => {
    expect(shape.test(text)).toBe(true);
  });
});

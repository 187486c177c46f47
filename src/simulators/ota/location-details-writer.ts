import { youngestAge } from '../fleet.js';
import type { SimulatedExtra, SimulatedLocation } from '../world.js';
import { locationElement } from './location-writer.js';
import { amount } from './option-writer.js';
import { element, escapeXml, wrap } from './wire-writer.js';

/** Content of an OTA_VehLocDetailRS: the location, its ages, what it says about returns, and its extras. */
export function locationDetailsContent(
  location: SimulatedLocation,
  vendor: string,
  extras: readonly SimulatedExtra[],
  template: string,
): string {
  const { currency, afterHoursReturn } = location;
  // VLI 3: after-hours return.
  const info = afterHoursReturn
    ? element('VehRentLocInfo', { Type: 3 }, paragraph('Park the car and leave the key in the box.'))
    : '';
  const equipments = extras.map(({ equipType, name, perDay, maxPerRental }) =>
    element(
      'SpecialEquipment',
      { Type: equipType },
      wrap('EquipDesc', element('SubSection', { SubTitle: name }, wrap('Paragraph', wrap('Text', escapeXml(name))))) +
        wrap(
          'EquipCharges',
          element(
            'EquipCharge',
            { TaxInclusive: true, CurrencyCode: currency },
            element('MinMax', { MaxCharge: amount(maxPerRental, currency) }) +
              element('Calculation', { UnitCharge: amount(perDay, currency), UnitName: 'Day' }),
          ),
        ),
    ),
  );
  return (
    element('Vendor', { Code: vendor }) +
    locationElement('LocationDetail', location, template, wrap('VehRentLocInfos', info)) +
    wrap('Requirements', element('Age', { MinimumAge: youngestAge(location.countryCode) })) +
    wrap('ServicesOffered', wrap('SpecialEquipments', equipments.join('')))
  );
}

function paragraph(text: string): string {
  return wrap('SubSection', wrap('Paragraph', wrap('Text', escapeXml(text))));
}

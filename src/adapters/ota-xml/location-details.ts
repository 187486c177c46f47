import { MOST_TERMS, refuseMoreThan } from '../../model/limits.js';
import type { LocationDetails, LocationDetailsRequest, LocationFee, UnitPrice } from '../../model/location-details.js';
import { isCurrency, type Money, optionalAmount } from '../../model/money.js';
import type { Term } from '../../model/offers.js';
import { type SupplierContext, SupplierError } from '../../model/supplier.js';
import type { Warnings } from '../../model/warnings.js';
import { element } from '../xml/write-xml.js';
import { type AmountContext, amountAttribute, amountContext } from './amounts.js';
import { type LocationAttributes, statedPlace } from './location-codes.js';
import { mapLocation } from './location-mapping.js';
import { message, pointOfSale, type RequestSetting, vendorElement } from './message.js';
import { numberOf } from './numbers.js';
import { weeklyHoursOf } from './opening-hours.js';
import { type CodeEntry, coverageOf, equipmentOf } from './option-codes.js';
import type { OtaOptions } from './options.js';
import { listCode, rowOf } from './table.js';
import { formattedText } from './texts.js';
import { LOCATION_INFO_KINDS } from './vehicle-codes.js';
import { mapVehicle } from './vehicle-mapping.js';
import { attribute, child, childrenNamed, items, type XmlNode } from './wire.js';

/** OTA_VehLocDetailRQ for one location in the supplier's code, including the envelope. */
export function locationDetailsRequest(
  { brand, location }: LocationDetailsRequest,
  place: LocationAttributes,
  context: SupplierContext,
  setting: RequestSetting,
): string {
  const content =
    pointOfSale({ countryCode: location.countryCode }, setting) +
    element('Location', place) +
    vendorElement(brand, setting);
  return message('OTA_VehLocDetailRQ', content, context, setting);
}

/**
 * OTA_VehLocDetailRS → the location with its ages, fees, options, shuttle and texts. Throws SupplierError `bad_payload`
 * if the location cannot be read or a list is too long.
 */
export function mapLocationDetails(
  root: XmlNode,
  { brand, location: { countryCode, supplierCode, iataCode } }: LocationDetailsRequest,
  options: OtaOptions,
  warnings: Warnings,
): LocationDetails {
  const detail = child(root, 'LocationDetail');
  const asked = supplierCode ?? iataCode;
  const place = statedPlace(detail, 'Code') ?? (asked === undefined ? undefined : { code: asked });
  const location = detail && mapLocation(detail, { brand, countryCode, options, place }, warnings);
  if (!location) throw new SupplierError('bad_payload', 'OTA_VehLocDetailRS without a usable location');
  const requirements = child(root, 'Requirements');
  const age = child(requirements, 'Age');
  const more = child(detail, 'AdditionalInfo');
  const services = child(root, 'ServicesOffered');
  const vehicles = bounded(items(root, 'Vehicles', 'Vehicle'), 'vehicles');
  return {
    location,
    minAge: numberOf(age, 'MinimumAge'),
    maxAge: numberOf(age, 'MaximumAge'),
    shuttle: shuttleOf(child(more, 'Shuttle')),
    fees: feesOf(child(root, 'AdditionalFees'), options, warnings),
    coverages: bounded(items(child(root, 'Liabilities'), 'Coverages', 'Coverage'), 'coverages').map((node) =>
      option(
        node,
        'CoverageInfo',
        chargesOf(node, 'CoverageFees', 'CoverageFee', 'Charge'),
        coverageOf,
        options,
        warnings,
      ),
    ),
    extras: bounded(items(services, 'SpecialEquipments', 'SpecialEquipment'), 'extras').map((node) =>
      option(node, 'EquipDesc', items(node, 'EquipCharges', 'EquipCharge'), equipmentOf, options, warnings),
    ),
    vehicles: vehicles.map((node) => mapVehicle(node)),
    terms: [
      ...textsOf(
        items(more, 'VehRentLocInfos', 'VehRentLocInfo'),
        (type) => rowOf(LOCATION_INFO_KINDS, listCode('VLI', type)) ?? 'other',
      ),
      ...textsOf(items(requirements, 'RequirementInfos', 'RequirementInfo'), () => 'requirement'),
      ...textsOf(items(services, 'OnLocationServices', 'OnLocationService'), snakeCase, 'OnLocServiceDesc'),
      ...textsOf(items(services, 'OffLocationServices', 'OffLocationService'), snakeCase, 'OffLocServiceDesc'),
    ],
  };
}

function shuttleOf(shuttle: XmlNode | undefined): LocationDetails['shuttle'] {
  if (!shuttle) return undefined;
  return {
    openingHours: weeklyHoursOf(child(shuttle, 'OperationSchedules')),
    texts: textsOf(items(shuttle, 'ShuttleInfos', 'ShuttleInfo'), snakeCase),
  };
}

/** Texts of nodes, in the node itself or in its child `inside`; a node without text is left out. */
function textsOf(nodes: readonly XmlNode[], kindOf: (type: string) => string, inside?: string): Term[] {
  return bounded(nodes, 'texts').flatMap((node) => {
    const text = formattedText(inside === undefined ? node : child(node, inside));
    return text === undefined ? [] : [{ kind: kindOf(attribute(node, 'Type') ?? 'Other'), text }];
  });
}

const FEES = [
  ['Taxes', 'Tax', 'tax'],
  ['Fees', 'Fee', 'fee'],
  ['Surcharges', 'Surcharge', 'surcharge'],
] as const satisfies readonly (readonly [string, string, LocationFee['kind']])[];

function feesOf(holder: XmlNode | undefined, options: OtaOptions, warnings: Warnings): LocationFee[] {
  return FEES.flatMap(([container, name, kind]) =>
    bounded(items(holder, container, name), 'fees').map((node) => {
      const percent = attribute(node, 'Percentage') ?? attribute(child(node, 'Calculation'), 'Percentage');
      return {
        kind,
        name: attribute(node, 'Description') ?? name,
        ...pricesOf([node], options, warnings),
        percent: percent !== undefined && /^\d+(\.\d+)?$/.test(percent) ? percent : undefined,
        text: formattedText(child(node, 'Info')),
      };
    }),
  );
}

function option(
  node: XmlNode,
  info: string,
  charges: readonly XmlNode[],
  entryOf: (code: string | undefined) => CodeEntry,
  options: OtaOptions,
  warnings: Warnings,
) {
  const code = attribute(node, 'Type');
  const { type, label } = entryOf(code);
  const described = child(node, info);
  const title = attribute(described, 'Title') ?? attribute(child(described, 'SubSection'), 'SubTitle');
  const text = formattedText(described);
  return { code: code ?? 'other', type, name: title ?? label, ...pricesOf(charges, options, warnings), text };
}

/** The charges of the items of a container. */
function chargesOf(node: XmlNode, container: string, name: string, charge: string): readonly XmlNode[] {
  return items(node, container, name).flatMap((one) => childrenNamed(one, charge));
}

/** Unit prices of charges, each as a Calculation, and the cap of one rental. */
function pricesOf(
  charges: readonly XmlNode[],
  options: OtaOptions,
  warnings: Warnings,
): { readonly prices: readonly UnitPrice[]; readonly most: Money | undefined } {
  const priced = charges.map((charge) => ({ charge, context: contextOf(charge, options, warnings) }));
  const prices = priced.flatMap(({ charge, context }) =>
    childrenNamed(charge, 'Calculation').flatMap((line): UnitPrice[] => {
      const amount =
        context && optionalAmount(() => amountAttribute(line, 'UnitCharge', context, charge), warnings, 'a price');
      return amount ? [{ amount, per: snakeCase(attribute(line, 'UnitName') ?? 'Rental') }] : [];
    }),
  );
  const caps = priced.map(
    ({ charge, context }) =>
      context &&
      optionalAmount(() => amountAttribute(child(charge, 'MinMax'), 'MaxCharge', context, charge), warnings, 'a cap'),
  );
  return { prices: bounded(prices, 'prices'), most: caps.find((cap) => cap !== undefined) };
}

function contextOf(charge: XmlNode, options: OtaOptions, warnings: Warnings): AmountContext | undefined {
  const currency = (attribute(charge, 'CurrencyCode') ?? options.currency)?.toUpperCase();
  if (currency !== undefined && isCurrency(currency)) return amountContext(currency, options.money, warnings);
  if (child(charge, 'Calculation') || child(charge, 'MinMax'))
    warnings.add('amount_rejected', 'a price without a readable currency: left out');
  return undefined;
}

function bounded<T>(list: readonly T[], what: string): readonly T[] {
  refuseMoreThan(MOST_TERMS, list.length, what);
  return list;
}

/** OTA's enumeration words in the model's spelling: ExpressReturnService → express_return_service. */
function snakeCase(word: string): string {
  return word.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}

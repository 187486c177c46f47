import type { SimulatedAnswer } from '../world.js';
import type { OtaAccess, Refused } from './access.js';
import { type OtaSpelling, spelled } from './spelling.js';
import { documentOf, element, OTA_NAMESPACE, type OtaEnvelope, wrap } from './wire-writer.js';

/** The dialect of one simulated OTA supplier; names have the same meaning as in the adapter's options. */
export interface OtaSimulatorDialect extends OtaSpelling {
  readonly envelope: OtaEnvelope;
  /** Format of airport codes: `{iata}` or `{iata}T01`. */
  readonly locationTemplate: string;
  /** rate_plus_fees omits EstimatedTotalAmount. Default estimated. */
  readonly totalFrom?: 'estimated' | 'rate_plus_fees';
  /** Path of each group of messages. */
  readonly paths: { readonly locations: string; readonly vehicles: string; readonly bookings: string };
  /** Required value of RequestorID@ID; absent = any. */
  readonly requestorId?: string;
  /** Required value of RequestorID@MessagePassword; absent = any. */
  readonly password?: string;
  /** The supplier's own error code → reason, used instead of OTA's code for that reason. */
  readonly errorCodes?: Readonly<Record<string, string>>;
  /** What the supplier requires of its callers. Absent = nothing else. */
  readonly access?: OtaAccess;
  /** Which of cards, vouchers, extras and coverages it takes. Absent = all. */
  readonly takes?: readonly string[] | undefined;
  /** Empty = it has no OTA_VehModifyRQ. With any value, and if absent, it accepts every change: the values aren't checked. */
  readonly changes?: readonly string[] | undefined;
  /** Format of an empty result: Success without content (default) or Errors with code 221. */
  readonly emptyAs?: 'success' | 'error';
}

/** One OTA error: Error@Type (EWT list), Error@Code (ERR list) and an English text. */
export interface OtaError {
  readonly type: number;
  readonly code: number;
  /**
   * The reason, in the terms of docs/ota-dialect.md. A supplier with its own code for the reason answers with that
   * code.
   */
  readonly reason: string;
  readonly text: string;
}

/** Attributes of the request that its answer repeats. */
export interface Echo {
  readonly token?: string;
  readonly target?: string;
}

/** An OTA message as HTTP 200. `content` is escaped XML. */
export function messageAnswer(
  name: string,
  content: string,
  echo: Echo,
  now: number,
  dialect: OtaSimulatorDialect,
): SimulatedAnswer {
  const root = element(
    name,
    {
      [dialect.prefix ? `xmlns:${dialect.prefix}` : 'xmlns']: dialect.namespace ?? OTA_NAMESPACE,
      EchoToken: echo.token,
      TimeStamp: new Date(now).toISOString(),
      Target: echo.target,
      Version: '2.001',
    },
    content,
  );
  return {
    status: 200,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    body: documentOf(spelled(root, dialect), dialect.envelope),
  };
}

/** A caller without access: HTTP 401, or a SOAP fault with HTTP 500 (SOAP 1.1) or 400 (SOAP 1.2, a Sender fault). */
export function accessRefused(refused: Refused, { envelope }: OtaSimulatorDialect): SimulatedAnswer {
  if (refused === 'http') return httpAnswer(401, 'who are you', { 'www-authenticate': 'Basic realm="ota"' });
  const text = 'The caller is not known';
  const fault =
    envelope === 'soap12'
      ? wrap('soap:Code', wrap('soap:Value', 'soap:Sender') + wrap('soap:Subcode', wrap('soap:Value', refused))) +
        wrap('soap:Reason', wrap('soap:Text', text))
      : wrap('faultcode', refused) + wrap('faultstring', text);
  return {
    status: envelope === 'soap12' ? 400 : 500,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    body: documentOf(wrap('soap:Fault', fault), envelope),
  };
}

/** Content of a successful message; '' = only Success. */
export function successContent(content: string): string {
  return `<Success/>${content}`;
}

/** Warnings of EWT type 3 that these extras are only on request, by EQP code. */
export function requestWarnings(equipTypes: readonly string[]): string {
  const codes = new Set(equipTypes.map((type) => REQUEST_ONLY.get(type) ?? 613));
  const warnings = [...codes].map((code) => element('Warning', { Type: 3, Code: code, ShortText: 'On request only' }));
  return warnings.length > 0 ? wrap('Warnings', warnings.join('')) : '';
}

/** ERR codes of equipment that has its own; 613 is any special equipment. */
const REQUEST_ONLY: ReadonlyMap<string, number> = new Map([
  ['7', 554],
  ['8', 464],
  ['9', 553],
]);

/** Content of a refusal: Errors/Error, always with HTTP 200 as usual for OTA suppliers. */
export function errorContent({ type, code, reason, text }: OtaError, { errorCodes = {} }: OtaSimulatorDialect): string {
  const [own] = Object.entries(errorCodes).find(([, meaning]) => meaning === reason) ?? [];
  return element('Errors', {}, element('Error', { Type: type, Code: own ?? code, ShortText: text }));
}

/** A plain HTTP error outside OTA. */
export function httpAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): SimulatedAnswer {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body: text };
}

/** Errors of the simulator, from OTA's ERR list. */
export const OTA_ERRORS = {
  authentication: { type: 4, code: 175, reason: 'auth', text: 'Password invalid' },
  notTaken: { type: 2, code: 172, reason: 'unsupported', text: 'Element not supported' },
  missingField: { type: 10, code: 321, reason: 'invalid_request', text: 'Required field missing' },
  unknownPickup: { type: 3, code: 229, reason: 'invalid_location', text: 'Pickup location not recognized' },
  unknownReturn: { type: 3, code: 233, reason: 'invalid_location', text: 'Return location not recognized' },
  startDate: { type: 3, code: 136, reason: 'invalid_range', text: 'Start date is invalid' },
  endDate: { type: 3, code: 135, reason: 'invalid_range', text: 'End date is invalid' },
  pickupPassed: { type: 3, code: 226, reason: 'invalid_range', text: 'Pickup date has passed' },
  returnBeforePickup: { type: 3, code: 230, reason: 'invalid_range', text: 'Pickup time must be before return time' },
  noCars: { type: 3, code: 221, reason: 'no_results', text: 'No cars available for this request' },
  soldOut: { type: 3, code: 301, reason: 'no_results', text: 'No cars available' },
  unknownVendor: { type: 3, code: 320, reason: 'invalid_format', text: 'Vendor is not known' },
  unknownRate: { type: 3, code: 249, reason: 'invalid_rate', text: 'Invalid rate code' },
  rateChanged: { type: 3, code: 309, reason: 'price_changed', text: 'Requested rate may have changed - note rate' },
  driverAge: {
    type: 3,
    code: 595,
    reason: 'not_eligible',
    text: 'Customer not entitled to this rate plan: driver too young',
  },
  noEquipment: { type: 3, code: 308, reason: 'extra_not_available', text: 'Special equipment not available' },
  tooMuchEquipment: { type: 3, code: 236, reason: 'extra_not_available', text: 'Too many special equipment requested' },
  noCoverage: { type: 3, code: 307, reason: 'extra_not_available', text: 'Coverage not available' },
  paymentRejected: { type: 3, code: 167, reason: 'payment_failure', text: 'Payment rejected' },
  unknownBooking: { type: 3, code: 97, reason: 'not_found', text: 'Booking reference not found' },
  otherName: { type: 3, code: 252, reason: 'not_found', text: 'Last name entered does not match confirmation number' },
  noBookings: { type: 3, code: 284, reason: 'not_found', text: 'No reservations found for search criteria' },
  alreadyCancelled: { type: 3, code: 95, reason: 'already_cancelled', text: 'Booking already cancelled' },
  hasStarted: { type: 3, code: 88, reason: 'not_changeable', text: 'Cannot cancel - service has started' },
  noChange: { type: 3, code: 150, reason: 'not_changeable', text: 'Changes are not permitted' },
  noImplementation: { type: 2, code: 172, reason: 'unsupported', text: 'Requested action not possible' },
  badMessage: { type: 7, code: 320, reason: 'invalid_format', text: 'Message cannot be read' },
} as const satisfies Readonly<Record<string, OtaError>>;

import { type ErrorReason, errorReason } from '../../adapters/ota-xml/error-codes.js';
import type { OtaOptions } from '../../adapters/ota-xml/options.js';
import { documentOf, element, OTA_NAMESPACE } from '../../adapters/ota-xml/xml-write.js';
import type { SimulatedAnswer } from '../world.js';
import { type OtaSpelling, spelled } from './spelling.js';

/** How one simulated OTA supplier speaks; the names mean the same as in the adapter's options. */
export interface OtaSimulatorDialect extends OtaSpelling {
  readonly envelope: 'bare' | 'soap11';
  /** An airport's code in this supplier's spelling: `{iata}` or `{iata}T01`. */
  readonly locationTemplate: string;
  /** rate_plus_fees: EstimatedTotalAmount is left out. Default estimated. */
  readonly totalFrom?: 'estimated' | 'rate_plus_fees';
  /** Where it listens for which messages. */
  readonly paths: OtaOptions['paths'];
  /** When set, RequestorID@ID must be it. */
  readonly requestorId?: string;
  /** When set, RequestorID@MessagePassword must be it. */
  readonly password?: string;
  /** Error code of its own → reason: it is said wherever OTA's list has that reason. */
  readonly errorCodes?: Readonly<Record<string, ErrorReason>>;
  /** How "nothing for you" is said: Success without content (default) or Errors with code 221. */
  readonly emptyAs?: 'success' | 'error';
}

/** One OTA error: Error@Type (EWT list), Error@Code (ERR list) and an English text. */
export interface OtaError {
  readonly type: number;
  readonly code: number;
  readonly text: string;
}

/** Attributes of the request that every answer repeats. */
export interface Echo {
  readonly token?: string;
  readonly target?: string;
}

/** An OTA message as HTTP 200. `content` is XML already escaped. */
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

/** Content of a message that succeeds; '' = a bare Success. */
export function successContent(content: string): string {
  return `<Success/>${content}`;
}

/** Content of a message that refuses: Errors/Error, always with HTTP 200 as OTA suppliers do. */
export function errorContent({ type, code, text }: OtaError, { errorCodes = {} }: OtaSimulatorDialect): string {
  const reason = errorReason(String(type), String(code), {});
  const [own] = Object.entries(errorCodes).find(([, meaning]) => meaning === reason) ?? [];
  return element('Errors', {}, element('Error', { Type: type, Code: own ?? code, ShortText: text }));
}

/** A plain HTTP refusal below OTA. */
export function httpAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): SimulatedAnswer {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body: text };
}

/** Refusals that the simulator gives, by the ERR list. */
export const OTA_ERRORS = {
  authentication: { type: 4, code: 175, text: 'Password invalid' },
  missingField: { type: 10, code: 321, text: 'Required field missing' },
  unknownPickup: { type: 3, code: 229, text: 'Pickup location not recognized' },
  unknownReturn: { type: 3, code: 233, text: 'Return location not recognized' },
  startDate: { type: 3, code: 136, text: 'Start date is invalid' },
  endDate: { type: 3, code: 135, text: 'End date is invalid' },
  pickupPassed: { type: 3, code: 226, text: 'Pickup date has passed' },
  returnBeforePickup: { type: 3, code: 230, text: 'Pickup time must be before return time' },
  noCars: { type: 3, code: 221, text: 'No cars available for this request' },
  soldOut: { type: 3, code: 301, text: 'No cars available' },
  unknownVendor: { type: 3, code: 320, text: 'Vendor is not known' },
  unknownRate: { type: 3, code: 249, text: 'Invalid rate code' },
  rateChanged: { type: 3, code: 309, text: 'Requested rate may have changed - note rate' },
  driverAge: { type: 3, code: 595, text: 'Customer not entitled to this rate plan: driver too young' },
  noEquipment: { type: 3, code: 308, text: 'Special equipment not available' },
  tooMuchEquipment: { type: 3, code: 236, text: 'Too many special equipment requested' },
  noCoverage: { type: 3, code: 307, text: 'Coverage not available' },
  paymentRejected: { type: 3, code: 167, text: 'Payment rejected' },
  unknownBooking: { type: 3, code: 97, text: 'Booking reference not found' },
  otherName: { type: 3, code: 252, text: 'Last name entered does not match confirmation number' },
  noBookings: { type: 3, code: 284, text: 'No reservations found for search criteria' },
  alreadyCancelled: { type: 3, code: 95, text: 'Booking already cancelled' },
  hasStarted: { type: 3, code: 88, text: 'Cannot cancel - service has started' },
  noChange: { type: 3, code: 150, text: 'Changes are not permitted' },
  noImplementation: { type: 2, code: 172, text: 'Requested action not possible' },
  badMessage: { type: 7, code: 320, text: 'Message cannot be read' },
} as const satisfies Readonly<Record<string, OtaError>>;

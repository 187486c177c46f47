import { SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { readXmlAnswer } from '../xml/read-xml.js';
import { child, textOf, type XmlNode } from './wire.js';

/** What a SOAP fault means: the credentials are refused, the request is wrong, or the supplier failed. */
export type FaultMeaning = 'auth' | 'rejected' | 'unavailable';

/**
 * Codes with which a supplier refuses credentials: those of WS-Security 1.1, section 12, and the example of SOAP 1.1,
 * section 4.4.1. Compared without prefix and case.
 */
const AUTH_CODES = new Set([
  'failedauthentication',
  'invalidsecurity',
  'invalidsecuritytoken',
  'unsupportedsecuritytoken',
  'securitytokenunavailable',
  'failedcheck',
  'messageexpired',
  'client.authentication',
  'sender.authentication',
]);

/** The request is the cause, whatever the version of SOAP; sending it again won't help. */
const REQUEST_CODES = new Set(['client', 'sender', 'versionmismatch', 'mustunderstand', 'dataencodingunknown']);

/** The meaning of a Fault element of SOAP 1.1 (`faultcode`) or 1.2 (`Code`, with Subcodes inside). */
export function faultMeaning(fault: XmlNode): FaultMeaning {
  const codes = codesOf(fault);
  if (codes.some((code) => AUTH_CODES.has(code))) return 'auth';
  return codes.some((code) => REQUEST_CODES.has(code.split('.')[0] ?? '')) ? 'rejected' : 'unavailable';
}

/**
 * Throws `auth` if an answer with HTTP 5xx is a SOAP fault that refuses the credentials, because SOAP 1.1 sends every
 * fault with HTTP 500. Returns for anything else.
 */
export function refuseCredentialFault(answer: SupplierHttpAnswer): void {
  let root: XmlNode | undefined;
  try {
    root = readXmlAnswer(answer);
  } catch (error) {
    // The page of a proxy, or nothing.
    if (!(error instanceof SupplierError)) throw error;
  }
  const fault = child(child(root, 'Body'), 'Fault');
  if (fault && faultMeaning(fault) === 'auth')
    throw new SupplierError('auth', `HTTP ${answer.status}: a SOAP fault refuses the credentials`);
}

function codesOf(fault: XmlNode): string[] {
  const codes = [textOf(child(fault, 'faultcode'))];
  for (let code = child(fault, 'Code'); code; code = child(code, 'Subcode')) codes.push(textOf(child(code, 'Value')));
  return codes.flatMap((code) => code?.slice(code.indexOf(':') + 1).toLowerCase() ?? []);
}

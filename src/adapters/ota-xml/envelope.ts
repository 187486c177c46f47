import { createHash } from 'node:crypto';
import type { SupplierContext } from '../../model/supplier.js';
import { element, escapeXml, wrap } from '../xml/write-xml.js';

/** How messages are wrapped. */
export const ENVELOPES = ['bare', 'soap11', 'soap12'] as const;
export type Envelope = (typeof ENVELOPES)[number];

/** The encodings of requests. */
export const ENCODINGS = ['utf-8', 'iso-8859-1', 'us-ascii'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The headers of the content, which `headers` of a supplier can't replace. */
export const OWN_HEADERS: readonly string[] = [
  'accept',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'soapaction',
  'transfer-encoding',
];

/** A WS-Security UsernameToken: the password itself, or a digest of it that is valid once. */
export interface UsernameToken {
  readonly type: 'text' | 'digest';
  readonly username: string;
  readonly password: string;
}

const NAMESPACES = {
  soap11: 'http://schemas.xmlsoap.org/soap/envelope/',
  soap12: 'http://www.w3.org/2003/05/soap-envelope',
} as const;

const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const TOKEN_PROFILE = `${WSS}-username-token-profile-1.0`;
const BASE64 = `${WSS}-soap-message-security-1.0#Base64Binary`;

/**
 * A document with its declaration, inside a SOAP envelope if requested. `header` is the content of its Header, '' for
 * none. Outside UTF-8, characters beyond ASCII are written as references, so the bytes match each of the encodings.
 */
export function documentOf(
  content: string,
  { envelope, encoding }: { readonly envelope: Envelope; readonly encoding: Encoding },
  header = '',
): string {
  const body =
    envelope === 'bare'
      ? content
      : `<soap:Envelope xmlns:soap="${NAMESPACES[envelope]}">${wrap('soap:Header', header)}<soap:Body>${content}</soap:Body></soap:Envelope>`;
  const document = `<?xml version="1.0" encoding="${encoding.toUpperCase()}"?>${body}`;
  if (encoding === 'utf-8') return document;
  return document.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/**
 * The WS-Security header of a message (UsernameToken Profile 1.0). The nonce of a digest depends on the attempt (salt)
 * and the message, so it is new for each message that is sent, but not if the operation is replayed.
 */
export function securityHeader(
  { type, username, password }: UsernameToken,
  message: string,
  { now, requestId, salt = '' }: SupplierContext,
): string {
  const created = new Date(now).toISOString();
  const nonce = createHash('sha256').update(`${salt} ${requestId} ${created} ${message}`).digest().subarray(0, 16);
  const digest = createHash('sha1').update(nonce).update(created).update(password).digest('base64');
  const secret =
    type === 'text'
      ? element('wsse:Password', { Type: `${TOKEN_PROFILE}#PasswordText` }, escapeXml(password))
      : element('wsse:Password', { Type: `${TOKEN_PROFILE}#PasswordDigest` }, digest) +
        element('wsse:Nonce', { EncodingType: BASE64 }, nonce.toString('base64')) +
        wrap('wsu:Created', created);
  return element(
    'wsse:Security',
    {
      'xmlns:wsse': `${WSS}-wssecurity-secext-1.0.xsd`,
      'xmlns:wsu': `${WSS}-wssecurity-utility-1.0.xsd`,
      'soap:mustUnderstand': '1',
    },
    wrap('wsse:UsernameToken', wrap('wsse:Username', escapeXml(username)) + secret),
  );
}

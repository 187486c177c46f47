import type { MoneyForm } from '../../model/money.js';
import type { SimulatedRequest } from '../world.js';
import { type OtaEnvelope, prefixed, SOAP_NAMESPACES } from './wire-writer.js';

/**
 * The formats of a supplier, independent of content; names have the same meaning as in the adapter's options. If an
 * option is absent, requests may have any format and answers use OTA's.
 */
export interface OtaSpelling {
  readonly envelope?: OtaEnvelope;
  /** The encoding of requests, in declaration and Content-Type: utf-8, or another one in which only ASCII is sent. */
  readonly encoding?: string;
  /** @Version of requests, and of those that have their own. */
  readonly version?: string;
  readonly versions?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  readonly prefix?: string;
  readonly dateSeconds?: boolean;
  readonly dateSuffix?: string;
  readonly vendorCodeContext?: string | undefined;
  readonly gzip?: boolean;
  /** How amounts are written, and with which decimal separator percentages and quantities. */
  readonly money?: MoneyForm | undefined;
}

const ENVELOPE = /^<\?xml[^>]*><(\w+):Envelope xmlns:(\w+)="([^"]*)">/;
const TAG = /<[^<>]*>/g;
const ROOT = /^<(?:[\w.-]+:)?(OTA_\w+)/;
const VENDOR = /^<(?:\w+:)?Vendor(?:Pref)? /;
/** Only SOAP 1.2 has a media type of its own (RFC 3902). */
const SOAP12_TYPE = /^application\/soap\+xml\b/;

/**
 * Whether a request violates the supplier's required formats: real suppliers refuse such requests even if they are
 * readable.
 */
export function isMisspelt(
  { body, headers }: Pick<SimulatedRequest, 'body' | 'headers'>,
  spelling: OtaSpelling,
): boolean {
  const { envelope, gzip, vendorCodeContext } = spelling;
  if (envelope !== undefined && !isWrapped(body, String(headers['content-type'] ?? ''), envelope)) return true;
  if (!isEncoded(body, String(headers['content-type'] ?? ''), spelling)) return true;
  if (gzip !== undefined && gzip !== (headers['content-encoding'] === 'gzip')) return true;
  const tags = body.match(TAG) ?? [];
  const root = tags.find((tag) => ROOT.test(tag)) ?? '';
  if (!isVersion(root, spelling) || !isDeclared(root, spelling) || !areTimes(body, spelling)) return true;
  if (vendorCodeContext === undefined) return false;
  const vendors = tags.filter((tag) => VENDOR.test(tag) && tag.includes(' Code="'));
  return !vendors.every((vendor) => vendor.includes(` CodeContext="${vendorCodeContext}"`));
}

/** An answer in these formats. `content` is a complete OTA message. */
export function spelled(
  content: string,
  { prefix = '', dateSeconds = true, dateSuffix = '', vendorCodeContext, money }: OtaSpelling,
): string {
  let text = content;
  if (money)
    text = text
      .replace(
        / ((?:[A-Z]\w*)?Amount|UnitCharge|MaxCharge|Total)="(-?)(\d+)(?:\.(\d+))?"/g,
        (_all, name: string, sign: string, whole: string, decimals?: string) =>
          ` ${name}="${sign}${spelledAmount(whole, decimals, money)}"`,
      )
      .replace(/ (Percent(?:age)?|Quantity)="(\d+)\.(\d+)"/g, ` $1="$2${money.decimal ?? '.'}$3"`);
  if (!dateSeconds || dateSuffix !== '') {
    text = text.replace(/( (?:PickUp|Return)DateTime="[\dT-]+:\d\d)(:\d\d)"/g, (_all, time: string, seconds: string) =>
      [time, dateSeconds ? seconds : '', dateSuffix, '"'].join(''),
    );
  }
  if (vendorCodeContext !== undefined)
    text = text.replace(/<Vendor Code=/g, `<Vendor CodeContext="${vendorCodeContext}" Code=`);
  return prefixed(text, prefix);
}

/** Digits and decimals of an amount in the form; all decimals of the currency are given. */
function spelledAmount(
  whole: string,
  decimals: string | undefined,
  { thousands, decimal = '.', minor }: MoneyForm,
): string {
  if (minor) return String(Number(whole + (decimals ?? '')));
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return groups.join(thousands ?? '') + (decimals === undefined ? '' : decimal + decimals);
}

function isWrapped(body: string, contentType: string, envelope: OtaEnvelope): boolean {
  const [, prefix, declared, namespace] = ENVELOPE.exec(body) ?? [];
  return (
    prefix === declared &&
    (envelope !== 'soap12' || SOAP12_TYPE.test(contentType)) &&
    namespace === (envelope === 'bare' ? undefined : SOAP_NAMESPACES[envelope])
  );
}

/** Characters outside ASCII prove that a message in another encoding than UTF-8 was sent as UTF-8. */
function isEncoded(body: string, contentType: string, { encoding }: OtaSpelling): boolean {
  if (encoding === undefined) return true;
  const declared = /^<\?xml[^>]*encoding="([^"]*)"/.exec(body)?.[1]?.toLowerCase();
  const stated = /charset=([\w-]+)/.exec(contentType)?.[1]?.toLowerCase();
  return declared === encoding && stated === encoding && (encoding === 'utf-8' || /^[\0-\x7f]*$/.test(body));
}

function isVersion(root: string, { version, versions = {} }: OtaSpelling): boolean {
  if (version === undefined) return true;
  const name = ROOT.exec(root)?.[1] ?? '';
  return root.includes(` Version="${versions[name] ?? version}"`);
}

function isDeclared(root: string, { namespace, prefix }: OtaSpelling): boolean {
  if (namespace === undefined || prefix === undefined) return true;
  if (namespace === '') return !root.includes('xmlns');
  return prefix === ''
    ? root.includes(` xmlns="${namespace}"`)
    : root.startsWith(`<${prefix}:`) && root.includes(` xmlns:${prefix}="${namespace}"`);
}

function areTimes(body: string, { dateSeconds, dateSuffix }: OtaSpelling): boolean {
  if (dateSeconds === undefined || dateSuffix === undefined) return true;
  const length = (dateSeconds ? 'YYYY-MM-DDTHH:mm:ss' : 'YYYY-MM-DDTHH:mm').length;
  const times = [...body.matchAll(/ (?:PickUp|Return|Arrival)DateTime="([^"]*)"/g)];
  return times.every(([, time = '']) => time.length === length + dateSuffix.length && time.endsWith(dateSuffix));
}

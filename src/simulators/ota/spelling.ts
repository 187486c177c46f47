import type { SimulatedRequest } from '../world.js';
import { prefixed } from './wire-writer.js';

/**
 * The formats of a supplier, independent of content; names have the same meaning as in the adapter's options. If an
 * option is absent, requests may have any format and answers use OTA's.
 */
export interface OtaSpelling {
  readonly envelope?: 'bare' | 'soap11';
  readonly namespace?: string;
  readonly prefix?: string;
  readonly dateSeconds?: boolean;
  readonly dateSuffix?: string;
  readonly vendorCodeContext?: string | undefined;
  readonly gzip?: boolean;
}

const SOAP11 = /^<\?xml[^>]*><(\w+):Envelope xmlns:\1="http:\/\/schemas\.xmlsoap\.org\/soap\/envelope\/">/;

/**
 * Whether a request violates the supplier's required formats: real suppliers refuse such requests even if they are
 * readable.
 */
export function isMisspelt(
  { body, headers }: Pick<SimulatedRequest, 'body' | 'headers'>,
  spelling: OtaSpelling,
): boolean {
  const { envelope, gzip, vendorCodeContext } = spelling;
  if (envelope !== undefined && (envelope === 'soap11') !== SOAP11.test(body)) return true;
  if (gzip !== undefined && gzip !== (headers['content-encoding'] === 'gzip')) return true;
  if (!isDeclared(body, spelling) || !areTimes(body, spelling)) return true;
  if (vendorCodeContext === undefined) return false;
  const vendors = body.match(/<(\w+:)?Vendor(Pref)? [^>]*\bCode="[^>]*>/g) ?? [];
  return !vendors.every((vendor) => vendor.includes(` CodeContext="${vendorCodeContext}"`));
}

/** An answer in these formats. `content` is a complete OTA message. */
export function spelled(
  content: string,
  { prefix = '', dateSeconds = true, dateSuffix = '', vendorCodeContext }: OtaSpelling,
): string {
  let text = content;
  if (!dateSeconds || dateSuffix !== '') {
    text = text.replace(/( (?:PickUp|Return)DateTime="[\dT-]+:\d\d)(:\d\d)"/g, (_all, time: string, seconds: string) =>
      [time, dateSeconds ? seconds : '', dateSuffix, '"'].join(''),
    );
  }
  if (vendorCodeContext !== undefined)
    text = text.replace(/<Vendor Code=/g, `<Vendor CodeContext="${vendorCodeContext}" Code=`);
  return prefixed(text, prefix);
}

function isDeclared(body: string, { namespace, prefix }: OtaSpelling): boolean {
  if (namespace === undefined || prefix === undefined) return true;
  const root = /<[\w.:-]*OTA_\w+RQ[^>]*>/.exec(body)?.[0] ?? '';
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

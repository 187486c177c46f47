import { isAscii, isUtf8 } from 'node:buffer';
import { SupplierError } from '../../model/supplier.js';

/**
 * Decodes an XML document: by byte order mark, otherwise by the charset of the content type, otherwise by the XML
 * declaration, otherwise as UTF-8 (RFC 7303). If the bytes contradict the content type, the document's own declaration
 * is tried. Throws SupplierError `bad_payload` for an unknown encoding or bytes that don't match it.
 */
export function decodeXml(body: Buffer, contentType?: string): string {
  const marked = byteOrderMark(body);
  if (marked) return decode(body, marked);
  const declared = declaredEncoding(body);
  const stated = charsetOf(contentType);
  if (stated && declared && stated !== declared) {
    return tryDecode(body, stated) ?? decode(body, declared);
  }
  return decode(body, stated ?? declared ?? 'utf-8');
}

function byteOrderMark(body: Buffer): string | undefined {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Without a byte order mark, `<` and its zero byte identify UTF-16.
  if (first === 0x3c && second === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c) return 'utf-16be';
  return undefined;
}

/** The charset of a content type, in lower case; undefined if it has none. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return contentType === undefined ? undefined : /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase();
}

function declaredEncoding(body: Buffer): string | undefined {
  const head = body.toString('latin1', 0, Math.min(body.length, 200));
  return /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1]?.toLowerCase();
}

function decode(body: Buffer, encoding: string): string {
  const text = tryDecode(body, encoding);
  if (text === undefined)
    throw new SupplierError('bad_payload', `the answer is not ${encoding}, or the encoding is unknown`);
  return text;
}

function tryDecode(body: Buffer, encoding: string): string | undefined {
  if (encoding === 'utf-8' || encoding === 'utf8' || encoding === 'us-ascii') {
    if (isAscii(body)) return body.toString('latin1');
    if (!isUtf8(body)) return undefined;
    const text = body.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body);
  } catch {
    // A decoder has only two errors, an unknown label and invalid bytes; both mean "not in this encoding".
    return undefined;
  }
}

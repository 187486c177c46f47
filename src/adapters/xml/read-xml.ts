import { isMainThread } from 'node:worker_threads';
import { SaxesParser } from 'saxes';
import { ownCopy } from '../../model/own-copy.js';
import { SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { decodeXml } from './encoding.js';

/**
 * One element of a supplier's XML. `name` has no prefix (dialects disagree about namespaces,
 * docs/trade.md#old-namespaces). `text` is the element's own character data as written, untrimmed; '' if it has none.
 * `children` are in document order and always a list.
 */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  readonly text: string;
}

interface OpenNode extends XmlNode {
  children: OpenNode[];
  text: string;
}

/** So that a value that is kept doesn't keep the document. What another thread reads is copied on its way to this one. */
const asKept = isMainThread ? ownCopy : (text: string): string => text;

/** Maximum nesting; the deepest path of OTA has about 20 levels. */
const DEPTH_LIMIT = 64;
/** Maximum elements per document; 100 fully described vehicles have about 10,000. */
const NODE_LIMIT = 200_000;

const NO_CHILDREN: OpenNode[] = [];
Object.freeze(NO_CHILDREN);

/** `readXml` of an answer's body, in the encoding of its content type. */
export function readXmlAnswer({ body, headers }: Pick<SupplierHttpAnswer, 'body' | 'headers'>): XmlNode {
  const contentType = headers['content-type'];
  return readXml(body, Array.isArray(contentType) ? contentType[0] : contentType);
}

/**
 * Strictly parses a complete document. Throws SupplierError `bad_payload` if it is malformed or truncated, declares a
 * DOCTYPE (rejected before parsing, so an entity bomb costs nothing), nests deeper than 64 levels or has more than
 * 200,000 elements. Other versions are read as XML 1.0, which, unlike XML 1.1, has no references to control
 * characters. `contentType` is the answer's header, used only for the encoding.
 */
export function readXml(body: Buffer | string, contentType?: string): XmlNode {
  const source = typeof body === 'string' ? body : decodeXml(body, contentType);
  refuseProlog(source);
  try {
    return parse(source);
  } catch (error) {
    if (error instanceof SupplierError) throw error;
    throw new SupplierError(
      'bad_payload',
      `not well-formed XML: ${error instanceof Error ? error.message : String(error)}`,
      true,
      {
        cause: error,
      },
    );
  }
}

/** Rejects anything before the root element except the XML declaration, comments and processing instructions. */
function refuseProlog(source: string): void {
  let at = 0;
  for (;;) {
    while (isSpace(source.charCodeAt(at))) at += 1;
    if (source.charCodeAt(at) !== 60) throw new SupplierError('bad_payload', 'the answer is not XML');
    const next = source.charCodeAt(at + 1);
    if (next !== 33 && next !== 63) return;
    const comment = source.startsWith('<!--', at);
    if (next === 33 && !comment)
      throw new SupplierError('bad_payload', 'the answer declares a DOCTYPE or an entity, which is not allowed');
    const end = source.indexOf(comment ? '-->' : '?>', at + (comment ? 4 : 2));
    if (end < 0) throw new SupplierError('bad_payload', 'the answer ends in its prolog');
    at = end + (comment ? 3 : 2);
  }
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9 || code === 0xfeff;
}

function parse(source: string): XmlNode {
  const parser = new SaxesParser({ xmlns: false, position: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const open: OpenNode[] = [];
  let root: OpenNode | undefined;
  let current: OpenNode | undefined;
  let count = 0;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new SupplierError('bad_payload', 'the answer declares a DOCTYPE, which is not allowed');
  });
  parser.on('opentag', (tag) => {
    const colon = tag.name.indexOf(':');
    for (const name in tag.attributes) tag.attributes[name] = asKept(tag.attributes[name] ?? '');
    const node: OpenNode = {
      name: colon < 0 ? tag.name : tag.name.slice(colon + 1),
      attributes: tag.attributes,
      children: NO_CHILDREN,
      text: '',
    };
    count += 1;
    if (count > NODE_LIMIT) throw new SupplierError('bad_payload', `the answer has more than ${NODE_LIMIT} elements`);
    if (current) {
      if (current.children === NO_CHILDREN) current.children = [node];
      else current.children.push(node);
      open.push(current);
      if (open.length >= DEPTH_LIMIT)
        throw new SupplierError('bad_payload', `the answer nests deeper than ${DEPTH_LIMIT} levels`);
    } else root = node;
    current = node;
  });
  parser.on('closetag', () => {
    if (current) current.text = asKept(current.text);
    current = open.pop();
  });
  const addText = (text: string): void => {
    if (current) current.text = current.text === '' ? text : current.text + text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(source).close();
  if (!root) throw new SupplierError('bad_payload', 'the answer has no root element');
  return root;
}

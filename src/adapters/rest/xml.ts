import { trimmedCopy } from '../../model/own-copy.js';
import { SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { readXmlAnswer, type XmlNode } from '../xml/read-xml.js';
import { element, escapeXml } from '../xml/write-xml.js';

/** Elements that are always lists: the names of the repeated elements by the name of the element around them. */
export type XmlLists = ReadonlyMap<string, readonly string[]>;

/** Names of the member with an element's own text, and what the names of attributes begin with. */
const TEXT = '_';

/** No list is copied into each of a hostile answer's elements. */
const EMPTY: readonly unknown[] = Object.freeze([]);

/**
 * An XML answer as the tree that expressions read (docs/rest-manifest-xml.md): `{ root: … }`. An element with only text
 * is that text, trimmed; any other element is an object of its attributes (`_name`), its child elements (repeated ones
 * as a list) and its text (`_`, if not blank). Names have no prefix, and namespace declarations are left out. All values
 * are text. Throws SupplierError `bad_payload` for what `readXml` refuses, and for an HTML page, which doesn't come from
 * the supplier's system.
 */
export function treeOfXml(answer: Pick<SupplierHttpAnswer, 'body' | 'headers'>, lists: XmlLists): unknown {
  const root = readXmlAnswer(answer);
  if (root.name.toLowerCase() === 'html') throw new SupplierError('bad_payload', 'the answer is an HTML page');
  return Object.fromEntries([[root.name, contentOf(root, lists)]]);
}

/** `readXml` bounds the recursion. */
function contentOf(node: XmlNode, lists: XmlLists): unknown {
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(node.attributes)) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) members.set(`_${name.slice(name.indexOf(':') + 1)}`, value);
  }
  for (const name of lists.get(node.name) ?? []) members.set(name, EMPTY);
  for (const child of node.children) {
    const value = contentOf(child, lists);
    const known = members.get(child.name);
    if (known === undefined) members.set(child.name, value);
    else if (known === EMPTY) members.set(child.name, [value]);
    else if (Array.isArray(known)) known.push(value);
    else members.set(child.name, [known, value]);
  }
  const text = trimmedCopy(node.text);
  if (members.size === 0) return text;
  if (text !== '') members.set(TEXT, text);
  // Unlike assignment, this makes `__proto__` an ordinary member.
  return Object.fromEntries(members);
}

/**
 * A request body from a tree with one member, the root: the same form in reverse. Elements without a value are left
 * out, and a list becomes one element for each member.
 */
export function xmlOf(tree: unknown): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${childrenOf(tree)}`;
}

function childrenOf(tree: unknown): string {
  return Object.entries(tree as object)
    .filter(([name]) => !name.startsWith(TEXT))
    .map(([name, value]) => elementsOf(name, value))
    .join('');
}

function elementsOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((member) => elementsOf(name, member)).join('');
  if (typeof value !== 'object') return element(name, {}, escapeXml(String(value)));
  const { [TEXT]: text, ...members } = value as Readonly<Record<string, unknown>>;
  const attributes = Object.entries(members).flatMap(([member, one]) =>
    member.startsWith(TEXT) && isScalar(one) ? [[member.slice(1), one] as const] : [],
  );
  return element(
    name,
    Object.fromEntries(attributes),
    (isScalar(text) ? escapeXml(String(text)) : '') + childrenOf(members),
  );
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

import { MOST_LISTED, refuseMoreThan } from '../../model/limits.js';
import { trimmedCopy } from '../../model/own-copy.js';
import { flagOf } from '../words/flag-words.js';
import type { XmlNode } from '../xml/read-xml.js';

export type { XmlNode };

/** For lists that are only read through, once. */
export const ANY_NUMBER = Number.POSITIVE_INFINITY;

const NO_CHILDREN: readonly XmlNode[] = [];

/** First child of that name, or undefined; accepts undefined so that paths can be chained. */
export function child(node: XmlNode | undefined, name: string): XmlNode | undefined {
  if (!node) return undefined;
  for (const candidate of node.children) if (candidate.name === name) return candidate;
  return undefined;
}

/**
 * All children of that name in document order; empty if there are none or no node. Throws SupplierError `bad_payload` for more than `most`, so that
 * no list is mapped or compared before it is counted.
 */
export function childrenNamed(node: XmlNode | undefined, name: string, most = MOST_LISTED): readonly XmlNode[] {
  if (!node) return NO_CHILDREN;
  // Containers usually have one kind of element: their list is then returned without copying.
  const isOnly = node.children.every((candidate) => candidate.name === name);
  return counted(isOnly ? node.children : node.children.filter((candidate) => candidate.name === name), name, most);
}

/**
 * The items of a container element: `items(node, 'Fees', 'Fee')`. Also handles a container repeated for each item, and
 * items without a container: suppliers write lists in all three ways. Empty if there are none. Throws SupplierError `bad_payload` for more than `most`
 * in all of them.
 */
export function items(
  node: XmlNode | undefined,
  container: string,
  name: string,
  most = MOST_LISTED,
): readonly XmlNode[] {
  const containers = childrenNamed(node, container, most);
  const [first, second] = containers;
  if (!first) return childrenNamed(node, name, most);
  if (!second) return childrenNamed(first, name, most);
  return counted(
    containers.flatMap((one) => childrenNamed(one, name, most)),
    name,
    most,
  );
}

function counted(nodes: readonly XmlNode[], name: string, most: number): readonly XmlNode[] {
  if (nodes.length > most) refuseMoreThan(most, nodes.length, `${name} elements in one place`);
  return nodes;
}

/** An attribute's value, trimmed; undefined if absent or blank. */
export function attribute(node: XmlNode | undefined, name: string): string | undefined {
  const value = node?.attributes[name];
  if (value === undefined || value === '') return undefined;
  if (value.charCodeAt(0) > 32 && value.charCodeAt(value.length - 1) > 32) return value;
  return trimmedCopy(value) || undefined;
}

/** An XML Schema boolean, or a word that suppliers use for one, in any case; undefined if absent or anything else. */
export function flag(node: XmlNode | undefined, name: string): boolean | undefined {
  const value = node?.attributes[name];
  return value === undefined ? undefined : flagOf(value);
}

/** An element's own text with collapsed whitespace; undefined if it has none. */
export function textOf(node: XmlNode | undefined): string | undefined {
  if (!node || node.text === '') return undefined;
  return node.text.replace(/\s+/g, ' ').trim() || undefined;
}

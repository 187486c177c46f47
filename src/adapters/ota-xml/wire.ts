import { flagOf } from '../words/flag-words.js';
import type { XmlNode } from '../xml/read-xml.js';

export type { XmlNode };

const NO_CHILDREN: readonly XmlNode[] = [];

/** First child of that name, or undefined; accepts undefined so that paths can be chained. */
export function child(node: XmlNode | undefined, name: string): XmlNode | undefined {
  if (!node) return undefined;
  for (const candidate of node.children) if (candidate.name === name) return candidate;
  return undefined;
}

/** All children of that name in document order; empty if there are none or no node. */
export function childrenNamed(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  if (!node) return NO_CHILDREN;
  // Containers usually have one kind of element: their list is then returned without copying.
  if (node.children.every((candidate) => candidate.name === name)) return node.children;
  return node.children.filter((candidate) => candidate.name === name);
}

/**
 * The items of a container element: `items(node, 'Fees', 'Fee')`. Also handles a container repeated for each item, and
 * items without a container: suppliers write lists in all three ways. Empty if there are none.
 */
export function items(node: XmlNode | undefined, container: string, name: string): readonly XmlNode[] {
  const containers = childrenNamed(node, container);
  const [first, second] = containers;
  if (!first) return childrenNamed(node, name);
  return second ? containers.flatMap((one) => childrenNamed(one, name)) : childrenNamed(first, name);
}

/** An attribute's value, trimmed; undefined if absent or blank. */
export function attribute(node: XmlNode | undefined, name: string): string | undefined {
  const value = node?.attributes[name];
  if (value === undefined || value === '') return undefined;
  if (value.charCodeAt(0) > 32 && value.charCodeAt(value.length - 1) > 32) return value;
  return value.trim() || undefined;
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

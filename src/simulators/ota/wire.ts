import { SaxesParser } from 'saxes';

/** One element of a request: local name, attributes as written, child elements in document order, and its own text. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  readonly text: string;
}

interface OpenNode extends XmlNode {
  readonly children: OpenNode[];
  text: string;
}

/**
 * Parses a request; undefined for a DOCTYPE and for anything that is not well-formed. Parses without xmlns and
 * position, like the adapter: parsers with different settings in one process make V8 deoptimize both.
 */
export function readXml(source: string): XmlNode | undefined {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const open: OpenNode[] = [];
  let root: OpenNode | undefined;
  let isSound = true;
  const refuse = (): void => {
    isSound = false;
  };
  const addText = (text: string): void => {
    const current = open.at(-1);
    if (current) current.text += text;
  };
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('opentag', ({ name, attributes }) => {
    const node: OpenNode = { name: name.slice(name.indexOf(':') + 1), attributes, children: [], text: '' };
    open.at(-1)?.children.push(node);
    root ??= node;
    open.push(node);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(source).close();
  return isSound ? root : undefined;
}

/** The first child with a name. Accepts and returns undefined, so that calls can be nested. */
export function child(node: XmlNode | undefined, name: string): XmlNode | undefined {
  return node?.children.find((candidate) => candidate.name === name);
}

/** All children with a name in document order. */
export function childrenNamed(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  return node?.children.filter((candidate) => candidate.name === name) ?? [];
}

/** The items of a list in one container: `items(core, 'VendorPrefs', 'VendorPref')`. */
export function items(node: XmlNode | undefined, container: string, name: string): readonly XmlNode[] {
  return childrenNamed(child(node, container), name);
}

/** An attribute's value, trimmed; undefined when absent or blank. */
export function attribute(node: XmlNode | undefined, name: string): string | undefined {
  return node?.attributes[name]?.trim() || undefined;
}

/** An element's own text, trimmed; undefined if there is none. */
export function textOf(node: XmlNode | undefined): string | undefined {
  return node?.text.trim() || undefined;
}

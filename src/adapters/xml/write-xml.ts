const MARKUP = /[&<>"'\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text escaped for both element content and attribute values; characters that XML 1.0 forbids are dropped. */
export function escapeXml(text: string): string {
  return dropForbidden(text).replace(MARKUP, (character) => ESCAPES[character] ?? character);
}

/**
 * Attributes as ` name="value"` in the given order; undefined and '' are left out. Begins with a space unless empty.
 */
export function attributes(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let text = '';
  for (const name in values) {
    const value = values[name];
    if (value !== undefined && value !== '') text += ` ${name}="${escapeXml(String(value))}"`;
  }
  return text;
}

/** An element; self-closing if `content` is ''. `content` is escaped XML. */
export function element(
  name: string,
  values: Readonly<Record<string, string | number | boolean | undefined>>,
  content = '',
): string {
  return content === '' ? `<${name}${attributes(values)}/>` : `<${name}${attributes(values)}>${content}</${name}>`;
}

/** An element around other elements; '' if there is nothing to wrap, because many schemas, such as OTA's, forbid an empty container. */
export function wrap(name: string, content: string): string {
  return content === '' ? '' : `<${name}>${content}</${name}>`;
}

/** Elements with a prefix before every name; '' changes nothing. In escaped content, every `<` begins a tag. */
export function prefixed(content: string, prefix: string): string {
  return prefix === '' ? content : content.replace(/<(\/?)/g, `<$1${prefix}:`);
}

function dropForbidden(text: string): string {
  let clean = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const allowed = code >= 32 ? code < 0xfffe : code === 9 || code === 10 || code === 13;
    if (allowed && !isLoneSurrogate(text, at)) continue;
    clean += text.slice(from, at);
    from = at + 1;
  }
  return from === 0 ? text : clean + text.slice(from);
}

function isLoneSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0xd800 || code > 0xdfff) return false;
  if (code < 0xdc00) return (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00;
  return (text.charCodeAt(at - 1) & 0xfc00) !== 0xd800;
}

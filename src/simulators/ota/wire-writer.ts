const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The namespace of OTA 2003/05 messages. */
export const OTA_NAMESPACE = 'http://www.opentravel.org/OTA/2003/05';

/**
 * Escapes text for element content and attribute values, including `>`, so that every `<` and `>` in a message belongs
 * to a tag.
 */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => REFERENCES[character] ?? character);
}

/** An element; attributes without a value are left out. `content` is XML. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
  content = '',
): string {
  let written = '';
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined && value !== '') written += ` ${key}="${escapeXml(String(value))}"`;
  }
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

/** A container of other elements; '' if it would be empty, because OTA's schemas do not allow empty lists. */
export function wrap(name: string, content: string): string {
  return content === '' ? '' : `<${name}>${content}</${name}>`;
}

/** The same elements with a namespace prefix; `content` must come from this module. */
export function prefixed(content: string, prefix: string): string {
  return prefix === '' ? content : content.replace(/<(\/?)/g, `<$1${prefix}:`);
}

/** How messages are wrapped. */
export type OtaEnvelope = 'bare' | 'soap11' | 'soap12';

/** The namespace of each version of SOAP. */
export const SOAP_NAMESPACES = {
  soap11: 'http://schemas.xmlsoap.org/soap/envelope/',
  soap12: 'http://www.w3.org/2003/05/soap-envelope',
} as const;

/** A document with its declaration, in a SOAP envelope if the supplier uses one. */
export function documentOf(content: string, envelope: OtaEnvelope): string {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  if (envelope === 'bare') return declaration + content;
  return `${declaration}<soap:Envelope xmlns:soap="${SOAP_NAMESPACES[envelope]}"><soap:Body>${content}</soap:Body></soap:Envelope>`;
}

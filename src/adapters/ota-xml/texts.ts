import { MOST_TERMS, refuseMoreThan } from '../../model/limits.js';
import type { Term } from '../../model/offers.js';
import { codeAttribute, rowOf } from './table.js';
import { ANY_NUMBER, childrenNamed, items, textOf, type XmlNode } from './wire.js';

/** OTA list INF: VendorMessage@InfoType, as the kind of a term; codes about hotels are left out. */
const MESSAGE_KINDS: Readonly<Record<string, string>> = {
  1: 'description',
  2: 'policy',
  3: 'marketing',
  4: 'special_instructions',
  5: 'other',
  11: 'directions',
  12: 'facilities',
  14: 'safety',
  15: 'services',
  16: 'transportation',
};

/**
 * VendorMessages and the RateComments of a rate as terms, all paragraphs of a message as one text; an unknown kind is
 * `other`. Throws SupplierError `bad_payload` for too many messages.
 */
export function termsOf(holder: XmlNode | undefined, rate?: XmlNode): Term[] {
  const messages = items(holder, 'VendorMessages', 'VendorMessage');
  const comments = childrenNamed(rate, 'RateQualifier').flatMap((one) => items(one, 'RateComments', 'RateComment'));
  refuseMoreThan(MOST_TERMS, messages.length + comments.length, 'vendor messages');
  return [
    ...messages.map((message) => ({
      kind: rowOf(MESSAGE_KINDS, codeAttribute(message, 'InfoType', 'INF')) ?? 'other',
      text: formattedText(message),
    })),
    ...comments.map((comment) => ({ kind: 'rate', text: textOf(comment) })),
  ].filter(({ text }) => text !== undefined);
}

/** All paragraphs and list items of a FormattedTextType as one text; undefined if it has none. */
export function formattedText(node: XmlNode | undefined): string | undefined {
  const paragraphs = [...childrenNamed(node, 'SubSection', ANY_NUMBER), ...(node ? [node] : [])].flatMap((section) =>
    childrenNamed(section, 'Paragraph', ANY_NUMBER),
  );
  const texts = paragraphs.flatMap(({ children }) =>
    children.flatMap((part) => (part.name === 'Text' || part.name === 'ListItem' ? (textOf(part) ?? []) : [])),
  );
  return texts.length === 0 ? undefined : texts.join(' ');
}

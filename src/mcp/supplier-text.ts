/** The member that holds the texts of suppliers in what a tool returns. */
export const SUPPLIER_TEXT = 'supplier_text';

/** Characters of one such text. */
const MOST_TEXT = 200;
/** Entries of a list below the first level. */
const MOST_ENTRIES = 40;

/** Members whose values are codes, amounts, dates, and ids of this gateway: what a program reads, not a sentence. */
const CODES = new Set(
  (
    'amount as_of category cause code country_code created_at currency date date_utc drive etag expires_at extra_id field ' +
    'from fuel fuel_policy iata_code kept_until kind location_id matched_by next offer_id outcome payable payment ' +
    'place_id prev quote_id reason request_time reservation_id search_id sipp_code sort_by source state state_reason ' +
    'status supplier time_zone to transmission type unit until updated_at at cancelled_at booked_at'
  ).split(' '),
);
const CODE = /^[\w.:+/-]{1,40}$/;
/** Members that this gateway fills with ids that it seals, and their form. A supplier may name a car so. */
const SEALED_IDS = new Set(
  'dropoff_location location_id offer_id pickup_location place_id quote_id reservation_id search_id'.split(' '),
);
const SEALED = /^(?:off|quo|loc|res|sea|plc)_[\w-]{1,6000}$/;
// Controls, separators, and formats: zero-width characters, tags, what changes the direction of text.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text without control and invisible characters, of at most so many characters; a cut one ends with "…". */
export function bounded(text: string, most = MOST_TEXT): string {
  const seen = text
    .slice(0, most * 4)
    .replace(UNSEEN, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return seen.length <= most ? seen : `${Array.from(seen.slice(0, most)).slice(0, -1).join('')}…`;
}

/** Whether a value is one that `marked` leaves in its place. */
export function isCode(name: string, value: string): boolean {
  return (SEALED_IDS.has(name) && SEALED.test(value)) || (CODES.has(name) && CODE.test(value));
}

/**
 * A copy of JSON in which every text that isn't a code moves to the member `supplier_text` of its object, without
 * unseen characters and cut to 200: it is data, regardless of who wrote it. Lists are cut to 40 entries.
 */
export function marked(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map((entry) => markedEntry(entry));
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  const texts: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (isText(name, member))
      texts[name] = Array.isArray(member) ? member.slice(0, MOST_ENTRIES).map(textOf) : textOf(member);
    else kept[name] = marked(member);
  }
  return Object.keys(texts).length === 0 ? kept : { ...kept, [SUPPLIER_TEXT]: texts };
}

function isText(name: string, member: unknown): boolean {
  if (Array.isArray(member)) return member.some((entry) => isText(name, entry));
  return typeof member === 'string' && !isCode(name, member);
}

function textOf(value: unknown): unknown {
  return typeof value === 'string' ? bounded(value) : marked(value);
}

/** A text in a list beside objects has no member of its own; it can't be marked, so it is an object. */
function markedEntry(entry: unknown): unknown {
  return typeof entry === 'string' && !CODE.test(entry) ? { [SUPPLIER_TEXT]: bounded(entry) } : marked(entry);
}

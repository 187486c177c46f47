const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?)?/;

/** The dateTime of a request as local time `YYYY-MM-DDTHH:mm:ss`, ignoring an offset. Undefined if it is not a date. */
export function wallClock(text: string | undefined): string | undefined {
  const [, date, time = '00:00', seconds = ':00'] = DATE_TIME.exec(text ?? '') ?? [];
  if (date === undefined) return undefined;
  const local = `${date}T${time}${seconds}`;
  const epochMs = Date.parse(`${local}Z`);
  // JavaScript parses February 30 as March 2.
  const exists = !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(local);
  return exists ? local : undefined;
}

/** The end of a maintenance from a `--until` option; null without one. Throws an Error if it isn't a future UTC time. */
export function endTime(until: string | undefined): Date | null {
  if (until === undefined) return null;
  const end = utcTime('--until', until);
  if (end.getTime() <= Date.now()) throw new Error('--until must be in the future');
  return end;
}

/** The time of an option. Throws an Error if it isn't a UTC time. */
export function utcTime(option: string, text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) || Number.isNaN(time.getTime()))
    throw new Error(`${option} must be a UTC time such as 2027-01-31T04:00:00Z`);
  return time;
}

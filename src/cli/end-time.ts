/** The end of something from an option; null without it. Throws an Error if it isn't a future UTC time. */
export function endTime(until: string | undefined, option = '--until'): Date | null {
  if (until === undefined) return null;
  const end = utcTime(option, until);
  if (end.getTime() <= Date.now()) throw new Error(`${option} must be in the future`);
  return end;
}

/** The time of an option. Throws an Error if it isn't a UTC time. */
export function utcTime(option: string, text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) || Number.isNaN(time.getTime()))
    throw new Error(`${option} must be a UTC time such as 2027-01-31T04:00:00Z`);
  return time;
}

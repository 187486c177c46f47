/** The end of a maintenance from a `--until` option; null without one. Throws an Error if it isn't a future UTC time. */
export function endTime(until: string | undefined): Date | null {
  if (until === undefined) return null;
  const end = new Date(until);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(until) || Number.isNaN(end.getTime())) {
    throw new Error('--until must be a UTC time such as 2027-01-31T04:00:00Z');
  }
  if (end.getTime() <= Date.now()) throw new Error('--until must be in the future');
  return end;
}

const formatterByZone = new Map<string, Intl.DateTimeFormat>();

/** The wall clock in a zone as `YYYY-MM-DDTHH:mm:ss`; comparable with wall clocks of requests as text. */
export function localNow(timeZone: string, epoch: number): string {
  let formatter = formatterByZone.get(timeZone);
  if (!formatter) {
    // Swedish dates are ISO dates with a space.
    formatter = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    formatterByZone.set(timeZone, formatter);
  }
  return formatter.format(epoch).replace(' ', 'T');
}

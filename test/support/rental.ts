const DAY_MS = 86_400_000;

/** A local date and time this many days from today (UTC), `YYYY-MM-DDTHH:mm:ss`. */
export function dayAhead(days: number, time = '10:00:00'): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T${time}`;
}

/**
 * Query text of an availability search: Boston, three days a month ahead, unless changed; undefined omits a parameter.
 */
export function vehiclesPath(
  changes: Readonly<Record<string, string | undefined>> = {},
  path = '/cars/catalog/v1/vehicles',
): string {
  return `${path}?${query({ pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(33), max_results: '20', ...changes })}`;
}

/** Query text of a location search for `keyword`. */
export function locationsPath(keyword: string, changes: Readonly<Record<string, string | undefined>> = {}): string {
  return `/cars/locations/v1/?${query({ keyword, ...changes })}`;
}

function query(values: Readonly<Record<string, string | undefined>>): string {
  return new URLSearchParams(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
}

/** Formats an instant to the second: 2027-01-02 03:04:05 UTC. `at`: epoch milliseconds or ISO 8601. */
export function utc(at: number | string | Date): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats an instant to the minute. */
export function utcMinute(at: number | string | Date): string {
  return `${utc(at).slice(0, 16)} UTC`;
}

/** A date in UTC. */
export function Day({ at }: { at: number | string | Date }) {
  return <time dateTime={new Date(at).toISOString()}>{utc(at).slice(0, 10)}</time>;
}

/** A date and time to the minute, in UTC. */
export function Moment({ at }: { at: number | string | Date }) {
  return <time dateTime={new Date(at).toISOString()}>{utcMinute(at)}</time>;
}

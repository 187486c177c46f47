/** A day, in UTC. `at`: epoch milliseconds or ISO 8601. */
export function Day({ at }: { at: number | string }) {
  const iso = new Date(at).toISOString();
  return <time dateTime={iso}>{iso.slice(0, 10)}</time>;
}

/** A day and time to the minute, in UTC. */
export function Moment({ at }: { at: number | string }) {
  const iso = new Date(at).toISOString();
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>;
}

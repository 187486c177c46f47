/** Shortens a secret's id for display. */
export function shortId(id: string): string {
  return `${id.slice(0, 12)}…`;
}

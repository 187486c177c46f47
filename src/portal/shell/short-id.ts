/** Enough of a secret's id to tell it from the others. */
export function shortId(id: string): string {
  return `${id.slice(0, 12)}…`;
}

/** The members of a JSON value down to a depth, each with its path, in alphabetical order. What an array holds isn't listed: it varies with offers. */
export function membersOf(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return [];
  return Object.entries(value)
    .flatMap(([name, member]) => [name, ...membersOf(member, depth - 1).map((inner) => `${name}.${inner}`)])
    .sort();
}

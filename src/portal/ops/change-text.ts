const MOST_MEMBERS = 8;
const MOST_CHARACTERS = 80;

/**
 * What a change changed, member by member: "state: live → maintenance, until: 2027-01-01T00:00:00Z". Members that are equal before
 * and after are left out; long values are cut. '' = nothing that is known.
 */
export function changeText(before: unknown, after: unknown): string {
  const [old, next] = [membersOf(before), membersOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const changed = names.filter((name) => textOf(old[name]) !== textOf(next[name]));
  const shown = changed.slice(0, MOST_MEMBERS).map((name) => {
    const [from, to] = [textOf(old[name]), textOf(next[name])];
    const label = name === '' ? '' : `${name}: `;
    if (from === '') return `${label}${to}`;
    return to === '' && !(name in next) ? `${label}${from} → removed` : `${label}${from} → ${to || 'none'}`;
  });
  const more = changed.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return {};
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { '': value };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

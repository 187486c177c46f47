/** How to trim members of an object; absent ones stay so. */
export type Trims<T> = { readonly [K in keyof T]?: (value: NonNullable<T[K]>) => T[K] | undefined };

/** Applies the trims of an object's members; anything else stays, and is refused. */
export function object<T extends object>(trims: Trims<T>): (value: T) => T {
  const entries = Object.entries(trims) as [keyof T, (value: unknown) => T[keyof T]][];
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    let copy: T | undefined;
    for (const [name, trim] of entries) {
      const before = value[name];
      if (before === undefined || before === null) continue;
      const after = trim(before);
      if (after === before) continue;
      copy ??= { ...value };
      copy[name] = after;
    }
    return copy ?? value;
  };
}

/** Applies the trims to each member of a list of at most `most`; a longer one, or what isn't a list, stays, and is refused. */
export function each<T extends object>(most: number, trims: Trims<T>): (list: readonly T[]) => readonly T[] {
  const trim = object(trims);
  return (list) => mapped(list, most, trim);
}

/** The same list if nothing changes, isn't a list, or has more than `most` members, which is refused. */
export function mapped<T>(list: readonly T[], most: number, change: (value: T) => T): readonly T[] {
  if (!Array.isArray(list) || list.length > most) return list;
  let copy: T[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const after = change(list[at]);
    if (after === list[at]) continue;
    copy ??= [...list];
    copy[at] = after;
  }
  return copy ?? list;
}

/** What several offers share is trimmed once. */
export function once<T extends object>(trim: (value: T) => T): (value: T) => T {
  const done = new Map<T, T>();
  return (value) => {
    const after = done.get(value) ?? trim(value);
    done.set(value, after);
    return after;
  };
}

/** SQLSTATE of a statement whose plan no longer fits, because the type of a column that it returns has changed. */
const OUTDATED = '0A000';

/** The most texts with a name: each costs memory on every connection. */
const MOST_NAMES = 64;

/** Names for statements whose plans PostgreSQL keeps, one per text. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** The name of a text; undefined if too many others have one. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MOST_NAMES) return known;
    const name = `forecourt_${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}

type Query = (...words: unknown[]) => unknown;

type Done = (error: unknown, result: unknown) => void;

/**
 * `query` of a client for statements with a name, whose plan PostgreSQL keeps for this connection. They lose it unless the
 * connection `isDirect`: a pooler gives each statement a connection of its choice. If a migration has changed the type of what
 * a statement returns, PostgreSQL refuses to carry out its plan, and the statement is sent again under another name.
 */
export function keepPlans(query: Query, isDirect: () => boolean): Query {
  let generation = 0;
  return (config, ...rest) => {
    if (!isNamed(config)) return query(config, ...rest);
    const done = rest.at(-1);
    if (!isDirect() || !isDone(done)) return query({ ...config, name: undefined }, ...rest);
    const own = generation;
    const named = (): unknown => ({ ...config, name: `${config.name}_${generation}` });
    return query(named(), ...rest.slice(0, -1), (error: unknown, result: unknown) => {
      if (!isOutdated(error)) {
        done(error, result);
        return;
      }
      if (own === generation) generation += 1;
      query(named(), ...rest);
    });
  };
}

function isNamed(config: unknown): config is { readonly name: string } {
  return typeof config === 'object' && config !== null && 'name' in config && config.name !== undefined;
}

function isDone(word: unknown): word is Done {
  return typeof word === 'function';
}

function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === OUTDATED;
}

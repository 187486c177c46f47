/** A JSON object of an OpenAPI 3.1 document. */
export type Json = { readonly [key: string]: unknown };

/** Request schemas may only become wider; answers may only become narrower or richer. */
type Direction = 'request' | 'answer';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * The changes that break callers of a released description (spec §9 rules 4 and 5), one sentence per change with its
 * place; empty = compatible. `holds` selects the released paths to compare. Additions don't break callers: a method, an
 * optional parameter, a field or enum value of an answer.
 */
export function breakingChanges(
  released: Json,
  current: Json,
  holds: (path: string) => boolean = () => true,
): string[] {
  const comparison = new Comparison(released, current);
  for (const [path, item] of entries(released.paths)) {
    if (!holds(path)) continue;
    const now = member(current.paths, path);
    if (now === undefined) comparison.found.push(`${path}: the path is gone`);
    else comparison.pathItem(path, item, now);
  }
  return comparison.found;
}

class Comparison {
  readonly found: string[] = [];
  /** Pairs of references that are being compared, because a schema may contain itself. */
  readonly #open = new Set<string>();

  constructor(
    private readonly released: Json,
    private readonly current: Json,
  ) {}

  pathItem(path: string, before: unknown, after: unknown): void {
    for (const method of METHODS) {
      const was = member(before, method);
      if (was === undefined) continue;
      const at = `${method.toUpperCase()} ${path}`;
      const now = member(after, method);
      if (now === undefined) this.found.push(`${at}: the method is gone`);
      else this.#operation(at, was, now);
    }
  }

  #operation(at: string, before: unknown, after: unknown): void {
    if (isPublic(before) && !isPublic(after)) this.found.push(`${at}: needs a token now`);
    this.#parameters(at, list(member(before, 'parameters')), list(member(after, 'parameters')));
    this.#body(at, member(before, 'requestBody'), member(after, 'requestBody'));
    for (const [status, was] of entries(member(before, 'responses'))) {
      const now = member(member(after, 'responses'), status);
      if (now === undefined) this.found.push(`${at}: the answer ${status} is gone`);
      else this.#contents(`${at} ${status}`, was, now, 'answer');
    }
  }

  #parameters(at: string, before: readonly unknown[], after: readonly unknown[]): void {
    const nameOf = (parameter: unknown): string =>
      `${String(member(parameter, 'in'))} parameter ${String(member(parameter, 'name'))}`;
    for (const was of before) {
      const now = after.find((parameter) => nameOf(parameter) === nameOf(was));
      if (now === undefined) this.found.push(`${at}: the ${nameOf(was)} is gone`);
      else this.#schema(`${at} ${nameOf(was)}`, member(was, 'schema'), member(now, 'schema'), 'request');
    }
    for (const now of after) {
      const was = before.find((parameter) => nameOf(parameter) === nameOf(now));
      if (member(now, 'required') === true && member(was, 'required') !== true)
        this.found.push(`${at}: the ${nameOf(now)} is required now`);
    }
  }

  #body(at: string, before: unknown, after: unknown): void {
    if (member(after, 'required') === true && member(before, 'required') !== true)
      this.found.push(`${at}: a body is required now`);
    if (before === undefined) return;
    if (after === undefined) this.found.push(`${at}: takes no body any more`);
    else this.#contents(`${at} body`, before, after, 'request');
  }

  #contents(at: string, before: unknown, after: unknown, direction: Direction): void {
    for (const [type, was] of entries(member(before, 'content'))) {
      const now = member(member(after, 'content'), type);
      if (now === undefined) this.found.push(`${at}: ${type} is gone`);
      else this.#schema(at, member(was, 'schema'), member(now, 'schema'), direction);
    }
    if (direction === 'answer' && member(before, 'content') === undefined && member(after, 'content') !== undefined) {
      this.found.push(`${at}: had no body`);
    }
  }

  #schema(at: string, before: unknown, after: unknown, direction: Direction): void {
    const pair = `${String(member(before, '$ref'))} ${String(member(after, '$ref'))}`;
    if (pair !== 'undefined undefined') {
      if (this.#open.has(pair)) return;
      this.#open.add(pair);
    }
    this.#resolved(at, resolve(this.released, before), resolve(this.current, after), direction);
    this.#open.delete(pair);
  }

  #resolved(at: string, before: unknown, after: unknown, direction: Direction): void {
    this.#types(at, before, after, direction);
    this.#values(at, before, after, direction);
    this.#bounds(at, before, after, direction);
    this.#fields(at, before, after, direction);
    this.#alternatives(at, before, after, direction);
    if (isObject(member(before, 'items')))
      this.#schema(`${at}[]`, member(before, 'items'), member(after, 'items') ?? {}, direction);
    const [was, now] = [member(before, 'additionalProperties'), member(after, 'additionalProperties')];
    if (isObject(was)) this.#schema(`${at}.*`, was, isObject(now) ? now : {}, direction);
    if (direction === 'request' && was !== false && now === false && isOfType(before, 'object')) {
      this.found.push(`${at}: refuses unknown fields now`);
    }
  }

  #types(at: string, before: unknown, after: unknown, direction: Direction): void {
    const [was, now] = [typesOf(before), typesOf(after)];
    if (was.length === 0 && now.length === 0) return;
    const [narrow, wide] = direction === 'request' ? [was, now] : [now, was];
    // Without a type, every type is allowed.
    const isWithin =
      wide.length === 0 ||
      (narrow.length > 0 &&
        narrow.every((type) => wide.includes(type) || (type === 'integer' && wide.includes('number'))));
    if (!isWithin)
      this.found.push(`${at}: the type was ${was.join(' or ') || 'any'} and is ${now.join(' or ') || 'any'}`);
    if (
      member(before, 'format') !== member(after, 'format') &&
      member(direction === 'request' ? after : before, 'format') !== undefined
    ) {
      this.found.push(
        `${at}: the format was ${String(member(before, 'format'))} and is ${String(member(after, 'format'))}`,
      );
    }
  }

  /**
   * An enum of answers may grow (spec §9.4): callers must expect new values. It may not shrink, and a request may not
   * gain a new enum.
   */
  #values(at: string, before: unknown, after: unknown, direction: Direction): void {
    const [was, now] = [valuesOf(before), valuesOf(after)];
    if (now === undefined) return;
    if (was === undefined && direction === 'request') this.found.push(`${at}: only some values are allowed now`);
    for (const value of was ?? [])
      if (!now.includes(value)) this.found.push(`${at}: the value ${JSON.stringify(value)} is gone`);
  }

  #bounds(at: string, before: unknown, after: unknown, direction: Direction): void {
    if (direction !== 'request') return;
    for (const [name, sign] of BOUNDS) {
      const [was, now] = [member(before, name), member(after, name)];
      if (typeof now === 'number' && (typeof was !== 'number' || (now - was) * sign > 0)) {
        this.found.push(`${at}: ${name} was ${String(was ?? 'none')} and is ${now}`);
      }
    }
    const pattern = member(after, 'pattern');
    if (pattern !== undefined && pattern !== member(before, 'pattern'))
      this.found.push(`${at}: the pattern is another`);
  }

  #fields(at: string, before: unknown, after: unknown, direction: Direction): void {
    const [required, needed] = [list(member(before, 'required')), list(member(after, 'required'))];
    for (const [name, was] of entries(member(before, 'properties'))) {
      const now = member(member(after, 'properties'), name);
      if (now === undefined) this.found.push(`${at}: the field ${name} is gone`);
      else this.#schema(`${at}.${name}`, was, now, direction);
      if (direction === 'answer' && now !== undefined && required.includes(name) && !needed.includes(name)) {
        this.found.push(`${at}: the field ${name} may be missing now`);
      }
    }
    if (direction === 'answer') return;
    for (const name of needed)
      if (!required.includes(name)) this.found.push(`${at}: the field ${String(name)} is required now`);
  }

  /** Alternatives are compared by position: zod keeps their order, and new ones are added at the end. */
  #alternatives(at: string, before: unknown, after: unknown, direction: Direction): void {
    for (const word of ['anyOf', 'oneOf', 'allOf']) {
      const [was, now] = [list(member(before, word)), list(member(after, word))];
      was.forEach((schema, index) => {
        if (now[index] === undefined) this.found.push(`${at}: an alternative is gone`);
        else this.#schema(`${at} (${index + 1})`, schema, now[index], direction);
      });
    }
  }
}

/** Keyword → the direction in which it becomes stricter. */
const BOUNDS = [
  ['minimum', 1],
  ['exclusiveMinimum', 1],
  ['minLength', 1],
  ['minItems', 1],
  ['maximum', -1],
  ['exclusiveMaximum', -1],
  ['maxLength', -1],
  ['maxItems', -1],
] as const;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function entries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isPublic(operation: unknown): boolean {
  return list(member(operation, 'security')).length === 0;
}

/** Types that a schema allows, including those of its alternatives; empty = any. */
function typesOf(schema: unknown): readonly unknown[] {
  const type = member(schema, 'type');
  if (type !== undefined) return [type].flat();
  const alternatives = [...list(member(schema, 'anyOf')), ...list(member(schema, 'oneOf'))].map(typesOf);
  return alternatives.some((types) => types.length === 0) ? [] : [...new Set(alternatives.flat())];
}

function isOfType(schema: unknown, type: string): boolean {
  return typesOf(schema).includes(type);
}

function valuesOf(schema: unknown): readonly unknown[] | undefined {
  const constant = member(schema, 'const');
  const values = member(schema, 'enum');
  return constant === undefined ? (Array.isArray(values) ? values : undefined) : [constant];
}

function resolve(document: Json, schema: unknown): unknown {
  const reference = member(schema, '$ref');
  if (typeof reference !== 'string') return schema;
  const target = reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, name) => member(at, name), document);
  return resolve(document, target);
}

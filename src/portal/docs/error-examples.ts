import type { ApiOperation } from '../console/api-operations.js';
import { exampleOf } from '../console/examples.js';
import { PREPARATIONS, preparationOf } from '../console/operation-form.js';

/** A row of a table of docs/sandbox.md: an answer, and what brings it about. */
export interface Provocation {
  readonly code: string;
  /** Of the error entry; empty = a success. */
  readonly reason: string;
  /** Empty = none. */
  readonly cause: string;
  /** What is done, as the table says it or in its words. */
  readonly how: string;
  /** The console with all of it filled in; undefined = it takes more than one request of the reader's application. */
  readonly console?: string | undefined;
  /** The button to press there before sending; undefined = none. */
  readonly first?: string | undefined;
}

const BOOKINGS = '## Bookings';

/** The rows of the tables of docs/sandbox.md: searches, then bookings. Throws for a request that is no operation. */
export function provocations(sandboxPage: string, operations: readonly ApiOperation[]): readonly Provocation[] {
  const at = sandboxPage.indexOf(BOOKINGS);
  return [
    ...rowsOf(sandboxPage.slice(0, at)).map((cells) => ofRequest(cells, operations)),
    ...rowsOf(sandboxPage.slice(at)).map((cells) => ofBooking(cells)),
  ].map((row) => ({ ...row, first: firstOf(row.console, operations) }));
}

/** The button to press before what a path of the console has filled in can be sent; undefined = none. */
export function firstOf(path: string | undefined, operations: readonly ApiOperation[]): string | undefined {
  const given = new URLSearchParams(path?.split('?')[1]);
  const fields = operations.find(({ id }) => id === given.get('operation'))?.fields ?? [];
  const needed = preparationOf(fields.filter(({ name }) => !given.has(name)));
  return needed && PREPARATIONS[needed];
}

/** Cells of the rows that begin with a status code. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => /^\| \d{3} \|/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** `| code | reason | GET /path?query with Header: value |`. */
function ofRequest(
  [code = '', reason = '', how = '']: readonly string[],
  operations: readonly ApiOperation[],
): Provocation {
  const [request = '', ...more] = [...how.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  const row = { code, reason, cause: '', how };
  const asAnother = more.some((text) => text.startsWith('demo'));
  const [path = '', query = ''] = request.replace(/^GET /, '').replace('{dates}', '').split('?');
  const operation = operations.find(({ method, path: known }) => method === 'GET' && patternOf(known).test(path));
  if (asAnother || !operation) return row;
  const inPath = patternOf(operation.path).exec(path)?.groups ?? {};
  const blank = query.includes('pickup_location')
    ? {}
    : Object.fromEntries(Object.keys(exampleOf(operation)).map((name) => [name, '']));
  const header = (name: string): string | undefined =>
    more.find((text) => text.startsWith(`${name}: `))?.slice(name.length + 2);
  const scenario = header('X-Sandbox-Scenario');
  const authorization = header('Authorization');
  const filled = new URLSearchParams({
    operation: operation.id,
    ...blank,
    ...inPath,
    ...Object.fromEntries(new URLSearchParams(query)),
  });
  if (scenario) filled.set('scenario', scenario);
  if (authorization) filled.set('bearer', authorization.startsWith('Bearer') ? 'wrong' : 'scheme');
  return { ...row, console: `/console?${filled}` };
}

/** `| code | reason | cause | state | place | brand | scenario |`. */
function ofBooking(cells: readonly string[]): Provocation {
  const [code = '', reason = '', cause = '', state = '', place = '', brand = '', scenario = ''] = cells.map((cell) =>
    cell.replaceAll('`', ''),
  );
  const filled = new URLSearchParams({ operation: 'createReservation', pickup_location: place, brand });
  if (scenario !== '') filled.set('scenario', scenario);
  const how = `book an offer of ${brand} at \`${place}\`${scenario === '' ? '' : ` with \`X-Sandbox-Scenario: ${scenario}\``}${state === '' ? '' : ` (${state})`}`;
  return { code, reason, cause, how, console: `/console?${filled}` };
}

/** Matches the paths of an operation, with or without slash at the end; a part that varies is a group of its name. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`);
}

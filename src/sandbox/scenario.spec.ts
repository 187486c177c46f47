import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { MAGIC_PLACES } from './magic-places.js';
import { type BookingOperation, chooseScenario, parseScenario, type Scenario } from './scenario.js';

const suppliers = ['abg', 'alpine', 'bravo'];
const base = {
  environment: 'sandbox',
  header: undefined,
  places: [] as string[],
  applicationDefault: undefined,
  suppliers,
} as const;

function problems(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.problems.map((problem) => `${problem.reason} ${problem.details}`);
    throw error;
  }
  return [];
}

describe('parseScenario', () => {
  it('reads suppliers, wildcard, fault and seed', () => {
    const scenario = parseScenario('alpine=ok; bravo=slow(300); *=empty; seed=7; fault=503(9)', 'header', suppliers);
    expect(['abg', 'alpine', 'bravo'].map((id) => scenario.directiveFor(id, 0, 3))).toEqual([
      'empty',
      'ok',
      'slow(300)',
    ]);
    expect(scenario).toMatchObject({ seed: 7, fault: { status: 503, seconds: 9 }, source: 'header' });
  });

  it.each([
    ['alpine=tiemout', 'is not a verb'],
    ['nobody=ok', 'is not a simulated supplier'],
    ['fault=418', 'fault must be one of'],
    ['alpine', 'is not a verb'],
    ['', 'the value is empty'],
    [' ; ', 'the value is empty'],
    ['alpine=error(200)', 'is not a verb'],
  ])('rejects "%s" and lists what is valid', (text, why) => {
    const [first] = problems(() => parseScenario(text, 'header', suppliers));
    expect(first).toContain(why);
    expect(first).toMatch(/^invalid_request/);
  });

  it('reports every invalid part', () => {
    expect(problems(() => parseScenario('x=ok; alpine=nope; fault=1', 'header', suppliers))).toHaveLength(3);
  });
});

describe('chooseScenario', () => {
  it('prefers the header, then a place, then the default of the application', () => {
    const all = { ...base, header: 'bravo=reset', places: ['ZZT404'], applicationDefault: 'alpine=empty' };
    expect(chooseScenario(all)?.source).toBe('header');
    expect(chooseScenario({ ...all, header: undefined })?.source).toBe('place');
    expect(chooseScenario({ ...all, header: undefined, places: ['BOS'] })?.source).toBe('application');
    expect(chooseScenario(base)).toBeUndefined();
  });

  it('applies the other parts of a default that names a supplier removed since then', () => {
    const chosen = chooseScenario({ ...base, applicationDefault: 'gone=timeout; alpine=empty' });
    expect(chosen?.directiveFor('alpine', 0, 3)).toBe('empty');
  });

  it('rejects a header and ignores magic places in production', () => {
    expect(problems(() => chooseScenario({ ...base, environment: 'production', header: 'alpine=ok' }))).toHaveLength(1);
    expect(chooseScenario({ ...base, environment: 'production', places: ['ZZT404'] })).toBeUndefined();
  });

  it('applies the directives of each magic place to the right suppliers', () => {
    const table = Object.fromEntries(
      MAGIC_PLACES.map((place) => {
        const scenario = chooseScenario({ ...base, places: [place] });
        return [
          place,
          scenario?.fault
            ? `fault ${scenario.fault.status}`
            : suppliers.map((id, index) => scenario?.directiveFor(id, index, 3) ?? 'ok').join(' '),
        ];
      }),
    );
    expect(table).toEqual({
      ZZT206F: 'ok ok error(503)',
      ZZT206E: 'ok ok empty',
      ZZT206B: 'ok empty error(503)',
      ZZT404: 'empty empty empty',
      ZZT500S: 'error(503) error(503) error(503)',
      ZZT408: 'fault 408',
      ZZT503: 'fault 503',
      ZZT202: 'ok ok ok',
      ZZTPRC: 'ok ok ok',
      ZZTSLD: 'ok ok ok',
    });
  });
});

describe('bookingDirective', () => {
  const OPERATIONS: readonly BookingOperation[] = ['priceCheck', 'recheck', 'book', 'retrieve', 'modify', 'cancel'];
  const table = (scenario: Scenario | undefined, supplier: string): string =>
    OPERATIONS.map((operation) => scenario?.bookingDirective(operation, supplier) ?? '–').join(' ');

  it.each([
    ['alpine=sold_out', 'alpine', 'sold_out – sold_out – sold_out sold_out'],
    ['alpine=sold_out', 'bravo', '– – – – – –'],
    ['*=timeout; alpine=ok', 'bravo', 'timeout – timeout – timeout timeout'],
    ['alpine=lost_then_found', 'alpine', 'lost_then_found – lost_then_found – lost_then_found lost_then_found'],
    ['alpine=price(+10%)', 'alpine', 'price(+10%) price(+10%) price(+10%) – price(+10%) price(+10%)'],
  ])('"%s" for %s: only price changes apply to the recheck, nothing to a lookup', (text, supplier, expected) => {
    expect(table(parseScenario(text, 'header', suppliers), supplier)).toBe(expected);
    expect(table(parseScenario(text, 'application', suppliers), supplier)).toBe(expected);
  });

  it('applies the directives of each magic place to bookings with any supplier', () => {
    const tables = MAGIC_PLACES.map(
      (place) => [place, table(chooseScenario({ ...base, places: [place] }), 'bravo')] as const,
    );
    expect(Object.fromEntries(tables.filter(([, row]) => row !== '– – – – – –'))).toEqual({
      ZZT202: '– – lost_then_found – – –',
      ZZTPRC: '– price(+10%) price(+10%) – price(+10%) –',
      ZZTSLD: '– – sold_out – – –',
    });
  });
});

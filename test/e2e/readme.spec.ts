import type { AnyBody } from '../support/client.js';
import { type PrintedBlock, runPage } from '../support/page-commands.js';
import { sharedGateway } from '../support/shared-gateway.js';

describe('the commands of README.md, as printed, run in one shell', () => {
  const running = sharedGateway();
  let printed: ReadonlyMap<string, PrintedBlock> = new Map();

  beforeAll(async () => {
    printed = await runPage('README.md', { DATA_DIR: running().gateway.dataFolder });
  });

  /** Status line, and the body as JSON, of a block that prints one answer with its headers. */
  function answerOf(name: string): { status: number; body: AnyBody } {
    const text = printed.get(name)?.text ?? '';
    const status = /^HTTP\/1\.1 (\d{3})/m.exec(text)?.[1];
    return { status: Number(status), body: JSON.parse(text.slice(text.indexOf('{'))) as AnyBody };
  }

  test('contain a token, a first 200, a first 206, a search for cars, a first 201 and its replay', () => {
    expect([...printed.keys()]).toEqual(['token', 'first-200', 'first-206', 'availability', 'first-201', 'replay']);
  });

  test('first-200 prints a 200 with locations in Boston', () => {
    const { status, body } = answerOf('first-200');
    expect(status).toBe(200);
    expect(body.locations.length).toBeGreaterThan(0);
    expect(body.locations.every((location) => location.address.city === 'Boston')).toBe(true);
  });

  test('first-206 prints a 206 whose entry names the missing supplier', () => {
    const { status, body } = answerOf('first-206');
    expect(status).toBe(206);
    expect(body.status.errors).toEqual([
      expect.objectContaining({ reason: 'supplier_failure', supplier: 'bravo', cause: 'timeout' }),
    ]);
    expect(body.locations.length).toBeGreaterThan(0);
  });

  test('availability prints a 200 with offers', () => {
    const { status, body } = answerOf('availability');
    expect(status).toBe(200);
    expect(body.vehicles[0]?.offer_id).toMatch(/^off_/);
  });

  test('first-201 prints a 201 with a confirmed reservation', () => {
    const { status, body } = answerOf('first-201');
    expect(status).toBe(201);
    expect(body.reservation).toMatchObject({ state: 'confirmed', confirmation_number: expect.any(String) });
  });

  test('replay prints the same answer, marked as a replay', () => {
    const { status, body } = answerOf('replay');
    expect([status, body]).toEqual([201, answerOf('first-201').body]);
    expect(printed.get('replay')?.text).toMatch(/^idempotent-replayed: true/m);
  });

  test('complete in less than a minute', () => {
    const total = [...printed.values()].reduce((sum, part) => sum + part.seconds, 0);
    expect(total).toBeLessThan(60);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../support/child.js';
import type { AnyBody } from '../support/client.js';
import { PROJECT } from '../support/project.js';
import { sharedGateway } from '../support/shared-gateway.js';

const MARK = '=====block';

/** Blocks ```sh below a comment `<!-- test:name -->`, in the order of the page. */
function blocksOf(markdown: string): ReadonlyMap<string, string> {
  return new Map(
    [...markdown.matchAll(/<!-- test:([\w-]+) -->\s*```sh\n([\s\S]*?)```/g)].map((match) => [
      match[1] ?? '',
      match[2] ?? '',
    ]),
  );
}

describe('the commands of README.md, as printed, run in one shell', () => {
  const running = sharedGateway();
  const printed = new Map<string, { readonly text: string; readonly seconds: number }>();

  beforeAll(async () => {
    const blocks = blocksOf(readFileSync(join(PROJECT, 'README.md'), 'utf8'));
    const clock = '$(date +%s.%N)';
    const script = [...blocks]
      .map(([name, commands]) => `printf '\\n${MARK} ${name} %s\\n' "${clock}"\n${commands}`)
      .join('\n');
    const environment = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      DATA_DIR: running().gateway.dataFolder,
    };
    const shell = startChild('bash', ['-c', `set -eu\n${script}\nprintf '\\n${MARK} end %s\\n' "${clock}"`], {
      cwd: PROJECT,
      env: environment,
    });
    const code = await shell.exited;
    if (code !== 0) throw new Error(`the commands ended with ${code}:\n${shell.output()}`);
    const parts = [
      ...shell.output().matchAll(new RegExp(`\\n${MARK} ([\\w-]+) ([\\d.]+)\\n([\\s\\S]*?)(?=\\n${MARK}|$)`, 'g')),
    ];
    parts.forEach(([, name = '', at, text = ''], index) => {
      printed.set(name, { text, seconds: Number(parts[index + 1]?.[2] ?? at) - Number(at) });
    });
    const seconds = [...printed]
      .filter(([name]) => name !== 'end')
      .map(([name, part]) => `${name} ${part.seconds.toFixed(2)} s`);
    console.log(`README.md: ${seconds.join(', ')}`);
  });

  /** Status line, and the body as JSON, of a block that prints one answer with its headers. */
  function answerOf(name: string): { status: number; body: AnyBody } {
    const text = printed.get(name)?.text ?? '';
    const status = /^HTTP\/1\.1 (\d{3})/m.exec(text)?.[1];
    return { status: Number(status), body: JSON.parse(text.slice(text.indexOf('{'))) as AnyBody };
  }

  test('contain a token, a first 200, a first 206, a search for cars, a first 201 and its replay', () => {
    expect([...printed.keys()]).toEqual([
      'token',
      'first-200',
      'first-206',
      'availability',
      'first-201',
      'replay',
      'end',
    ]);
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

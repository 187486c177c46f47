import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pino from 'pino';
import { configSchema } from '../config/config.schema.js';
import { loadConfig } from '../config/load-config.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { NO_SIMULATORS } from './fixtures/no-simulators.js';
import { SupplierRegistry } from './registry.js';
import { SupplierFiles } from './supplier-files.js';

const LOOK_MS = 1_000;
const adapter = { brandsPerCall: 'many' } as const;
const text = (id: string, more = ''): string =>
  `id: ${id}\nname: ${id}\nadapter: fake\nbrands: [${id}]\nurl: http://127.0.0.1:9\n${more}`;

let folder: string;
const file = (name: string): string => join(folder, 'suppliers', name);
const write = (id: string, more?: string): void => writeFileSync(file(`${id}.yaml`), text(id, more));

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  folder = mkdtempSync(join(tmpdir(), 'forecourt-files-'));
  mkdirSync(join(folder, 'suppliers'));
  write('one');
});
const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
  jest.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves the files of the folder. `log` holds, for each change, whether it was applied or why it was rejected. */
function world(apply: (suppliers: readonly SupplierConfig[]) => Promise<void> = async () => undefined) {
  const { suppliers, readSuppliers } = loadConfig(folder, {});
  const log: string[] = [];
  const logger = pino(
    {},
    {
      write: (line: string) => {
        const { why, suppliers: ids } = JSON.parse(line) as { why?: string; suppliers?: string[] };
        log.push(why ?? `taken: ${ids?.join()}`);
      },
    },
  );
  const registry = new SupplierRegistry(suppliers, {
    urlOf: ({ url }) => url,
    unusable: () => undefined,
    createAdapter: ({ options }) => {
      if (options.isBad) throw new Error('bad options');
      return adapter;
    },
    retireMs: 1,
  });
  let reads = 0;
  const read = () => {
    reads += 1;
    return readSuppliers();
  };
  const config = configSchema.parse({ suppliers: { reloadMs: LOOK_MS } });
  const files = new SupplierFiles(folder, suppliers, config, read, { ...NO_SIMULATORS, apply }, registry, logger);
  const stop = async (): Promise<void> => {
    await files.onApplicationShutdown();
    await registry.close();
  };
  stopping.push(stop);
  const looks = (count: number) => jest.advanceTimersByTimeAsync(count * LOOK_MS);
  return { files, registry, log, looks, reads: () => reads };
}

/** A world that has already polled the files from startup. */
async function started(...parts: Parameters<typeof world>) {
  const subject = world(...parts);
  subject.files.onApplicationBootstrap();
  await subject.looks(2);
  expect(subject.log).toEqual([]);
  return subject;
}

describe('a changed secret file', () => {
  const secret = (version: string, content: string): void => {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, 'password'), content);
  };
  const link = (version: string): void => {
    symlinkSync(version, join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'current'));
  };
  const passwords = ({ registry }: ReturnType<typeof world>) =>
    registry.shown.map(({ config }) => config.credentials.password);

  it('is applied when a symbolic link is swapped, and the other suppliers keep their connections', async () => {
    secret('v1', 'first\n');
    link('v1');
    write('two', `credentials: { password: '\${file:${folder}/current/password}' }\n`);
    const subject = await started();
    const [one, two] = subject.registry.shown;
    secret('v2', 'second\n');
    link('v2');
    await subject.looks(2);
    expect([passwords(subject), subject.log]).toEqual([[undefined, 'second'], ['taken: one,two']]);
    expect(subject.registry.shown[0]?.connection).toBe(one?.connection);
    expect(subject.registry.shown[1]?.connection).not.toBe(two?.connection);
  });

  it('that is missing is reported, changes nothing, and is applied as soon as it exists', async () => {
    const subject = await started();
    write('two', `credentials: { password: '\${file:${folder}/current/password}' }\n`);
    await subject.looks(2);
    expect(subject.log).toEqual([
      expect.stringMatching(
        /suppliers\/two\.yaml:6 credentials\.password: the file \S+\/current\/password does not exist/,
      ),
    ]);
    expect(passwords(subject)).toEqual([undefined]);
    secret('v1', 'first');
    link('v1');
    await subject.looks(2);
    expect(passwords(subject)).toEqual([undefined, 'first']);
  });
});

describe('changed supplier files', () => {
  it('are applied in one step when two polls saw the same files', async () => {
    const { registry, log, looks } = await started();
    write('two');
    await looks(1);
    expect(registry.shown.map(({ id }) => id)).toEqual(['one']);
    await looks(1);
    expect([registry.shown.map(({ id }) => id), log]).toEqual([['one', 'two'], ['taken: one,two']]);
    await looks(5);
    expect(log).toHaveLength(1);
  });

  it('are ignored while they are being written: a partial file is never applied', async () => {
    const { registry, log, looks, reads } = await started();
    const before = reads();
    for (const half of ['', 'id: one\nname: Half\n', text('one')]) {
      writeFileSync(file('one.yaml'), half);
      await looks(1);
    }
    write('one', 'order: 7\n');
    await looks(1);
    expect([reads(), log]).toEqual([before, []]);
    await looks(1);
    expect(registry.suppliers.map(({ config }) => config.order)).toEqual([7]);
  });

  it('are applied if they changed while the gateway was starting', async () => {
    const { files, registry, looks } = world();
    write('two');
    files.onApplicationBootstrap();
    await looks(2);
    expect(registry.shown.map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('are applied when a file is renamed with a new id, and when a link points to another version', async () => {
    const { registry, looks } = await started();
    renameSync(file('one.yaml'), file('two.yaml'));
    writeFileSync(file('two.yaml'), text('two'));
    await looks(2);
    expect(registry.shown.map(({ id }) => id)).toEqual(['two']);
    for (const version of ['v1', 'v2'])
      writeFileSync(join(folder, version), text('three', `order: ${version.slice(1)}\n`));
    symlinkSync('../v1', file('three.yaml'));
    await looks(2);
    rmSync(file('three.yaml'));
    symlinkSync('../v2', file('three.yaml'));
    await looks(2);
    expect(registry.suppliers.map(({ id, config }) => `${id} ${config.order}`)).toEqual(['three 2', 'two 100']);
  });

  it('have no effect if only a comment changed or the change was reverted', async () => {
    const { log, looks } = await started();
    write('one', '# a comment\n');
    await looks(2);
    write('one', 'colour: red\n');
    await looks(2);
    write('one');
    await looks(2);
    expect(log).toEqual([expect.stringContaining('suppliers/one.yaml')]);
  });
});

it('lock files of editors change nothing, whatever they lead to', async () => {
  const { registry, log, looks } = await started();
  symlinkSync('ada@host.1234:5678', file('.#one.yaml'));
  write('two');
  await looks(3);
  expect([registry.shown.map(({ id }) => id), log]).toEqual([['one', 'two'], ['taken: one,two']]);
});

it.each<[string, () => void]>([
  ['a secret file behind a loop of links', () => symlinkSync('loop', join(folder, 'loop'))],
  ['a supplier file behind a loop of links', () => symlinkSync('loop.yaml', file('loop.yaml'))],
])('%s is reported, and the previous configuration stays in use', async (_case, spoil) => {
  const { registry, log, looks } = await started();
  const before = registry.byId('one');
  spoil();
  write('two', `credentials: { password: '\${file:${folder}/loop}' }\n`);
  await looks(3);
  expect([log.length, registry.byId('one')]).toEqual([1, before]);
  expect(log[0]).toMatch(/cannot be read: ELOOP|does not exist/);
});

describe('invalid supplier files', () => {
  it.each<[string, () => void, string]>([
    ['an unknown key', () => write('one', 'colour: red\n'), 'suppliers/one.yaml'],
    ['options that the adapter rejects', () => write('one', 'options: { isBad: true }\n'), 'bad options'],
    [
      'two suppliers with the same id',
      () => writeFileSync(file('two.yaml'), text('one')),
      'suppliers/two.yaml:1 id: must be "two"',
    ],
    [
      'timeouts that reach the request budget',
      () => write('one', 'timeoutMs: { searchVehicles: 9000 }\n'),
      'suppliers/one.yaml:6 timeoutMs.searchVehicles',
    ],
    [
      'a link that leads nowhere',
      () => symlinkSync('nowhere', file('two.yaml')),
      'suppliers/two.yaml cannot be read: ENOENT',
    ],
    ['a folder with the name of a file', () => mkdirSync(file('two.yaml')), 'suppliers/two.yaml is not a file'],
    ['a missing folder', () => rmSync(join(folder, 'suppliers'), { recursive: true }), 'the folder does not exist'],
  ])('%s: reported once with the reason; simulators and suppliers do not change', async (_case, spoil, reason) => {
    const applied: string[][] = [];
    const { registry, log, looks } = await started(
      async (suppliers) => void applied.push(suppliers.map(({ id }) => id)),
    );
    const before = registry.byId('one');
    spoil();
    await looks(5);
    expect([log.length, applied]).toEqual([1, []]);
    expect(log[0]).toContain(reason);
    expect(registry.byId('one')).toBe(before);
  });

  it.each<[string, () => void, () => void]>([
    [
      'a file with an extension that is not read',
      () => writeFileSync(file('two.yml'), text('two')),
      () => rmSync(file('two.yml')),
    ],
    [
      'missing recorded answers',
      () =>
        writeFileSync(
          file('two.yaml'),
          text('two').replace('fake', 'rest').concat('simulator: { dialect: recorded }\n'),
        ),
      () => mkdirSync(file('two')),
    ],
    [
      'a partially written recorded answer',
      () => {
        mkdirSync(file('two'));
        writeFileSync(file('two/book.json'), '{');
        writeFileSync(
          file('two.yaml'),
          text('two').replace('fake', 'rest').concat('simulator: { dialect: recorded }\n'),
        );
      },
      () => writeFileSync(file('two/book.json'), '{}'),
    ],
  ])('%s: once fixed, all other changes are applied', async (_case, spoil, mend) => {
    const { registry, looks } = await started();
    spoil();
    write('one', 'order: 7\n');
    await looks(3);
    expect(registry.suppliers.map(({ config }) => config.order)).toEqual([100]);
    mend();
    await looks(2);
    expect(registry.byId('one')?.config.order).toBe(7);
  });

  it('a change that failed halfway is repeated with the next change, even if the files are as before', async () => {
    let isFull = true;
    const { registry, log, looks } = await started(async () => {
      if (isFull) throw new Error('no port');
    });
    write('two');
    await looks(2);
    expect([registry.shown.map(({ id }) => id), log]).toEqual([['one'], ['no port']]);
    isFull = false;
    rmSync(file('two.yaml'));
    await looks(2);
    expect(log.at(-1)).toBe('taken: one');
  });
});

it('shutdown waits for a change in progress and doesn’t start another', async () => {
  let go = (): void => undefined;
  const { files, log, looks } = await started(
    () =>
      new Promise((resolve) => {
        go = resolve;
      }),
  );
  write('two');
  await looks(2);
  let isOver = false;
  const end = files.onApplicationShutdown().then(() => {
    isOver = true;
  });
  await looks(1);
  expect(isOver).toBe(false);
  go();
  await end;
  expect([log, jest.getTimerCount()]).toEqual([['taken: one,two'], 0]);
});

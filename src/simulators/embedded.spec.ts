import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import type { AcceptedKeys } from '../config/keys.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import type { SimulatedBooking } from './bookings.js';
import { type RunningSimulators, startSimulators } from './embedded.js';
import { LedgerFile } from './ledger-file.js';

const DAY_MS = 86_400_000;

const supplier = (id: string, more: object = {}) =>
  supplierConfigSchema.parse({
    ...{
      id,
      name: id,
      adapter: 'ota-xml',
      brands: [id],
      simulator: { dialect: 'ota' },
      options: { vendorCodes: { [id]: 'XX' } },
    },
    ...more,
  });
const urls = ({ servers }: RunningSimulators) => Object.fromEntries([...servers].map(([id, { url }]) => [id, url]));
const answers = async (url: string | undefined): Promise<boolean> => (await fetch(`${url}/__sim/stats`)).ok;

let simulators: RunningSimulators | undefined;
afterEach(() => simulators?.close());

it('play starts new and changed simulators, stops removed ones, and lets calls in progress finish', async () => {
  simulators = await startSimulators([supplier('same'), supplier('other'), supplier('gone')], {
    latencyScale: 0,
    includeWithUrl: false,
  });
  const before = urls(simulators);
  await simulators.play([supplier('same'), supplier('other', { name: 'Other' }), supplier('more')]);
  const after = urls(simulators);
  expect(Object.keys(after).sort()).toEqual(['more', 'other', 'same']);
  expect([after.same === before.same, after.other === before.other]).toEqual([true, false]);
  for (const url of [before.other, before.gone, after.other, after.more]) expect(await answers(url)).toBe(true);
});

it('play changes nothing if one of several simulators cannot start', async () => {
  simulators = await startSimulators([supplier('one'), supplier('two'), supplier('gone')], {
    latencyScale: 0,
    includeWithUrl: false,
  });
  const before = urls(simulators);
  const faulty = [supplier('one', { name: 'Changed' }), supplier('two', { options: { vendorCodes: 7 } })];
  await expect(simulators.play(faulty)).rejects.toThrow();
  expect(urls(simulators)).toEqual(before);
  expect(await answers(before.two)).toBe(true);
});

it('skips an incomplete supplier that is off, and names one that is on in the error', async () => {
  const unplayable = { options: { vendorCodes: 7 } };
  simulators = await startSimulators([supplier('one'), supplier('half', { state: 'off', ...unplayable })], {
    latencyScale: 0,
    includeWithUrl: false,
  });
  expect(Object.keys(urls(simulators))).toEqual(['one']);
  await simulators.play([supplier('one'), supplier('half', { state: 'off' })]);
  expect(Object.keys(urls(simulators))).toEqual(['one', 'half']);
  await expect(simulators.play([supplier('half', unplayable)])).rejects.toThrow(
    'suppliers/half.yaml: its simulator cannot run',
  );
});

it('play hands a fixed port over to the new simulator, even to that of another supplier', async () => {
  const free = await startSimulators([supplier('any')], { latencyScale: 0, includeWithUrl: false });
  const port = free.servers.get('any')?.port;
  await free.close();
  const simulator = { dialect: 'ota', port };
  simulators = await startSimulators([supplier('one', { simulator })], { latencyScale: 0, includeWithUrl: false });
  for (const [id, name] of [
    ['one', 'Changed'],
    ['two', 'Two'],
  ] as const) {
    await simulators.play([supplier(id, { simulator, name })]);
    expect([...simulators.servers.values()].map((server) => server.port)).toEqual([port]);
    expect(await answers(simulators.servers.get(id)?.url)).toBe(true);
  }
});

claim(
  'personal-data',
  'A simulated supplier that runs forgets a booking within a day after the thirtieth day after the return of the car, including in its file.',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecourt-ledgers-'));
    const ledgers: { folder: string; keys: AcceptedKeys } = { folder, keys: [createSecretKey(randomBytes(32))] };
    const file = join(folder, 'one.jsonl');
    const now = Date.now();
    const local = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 19);
    const returned = (confirmation: string, days: number) =>
      ({
        confirmation,
        reference: '',
        lastName: 'Sample',
        dropoffDate: local(-days),
        extras: [],
      }) as never as SimulatedBooking;
    const before = new LedgerFile(file, ledgers.keys);
    before.restore(now);
    for (const [confirmation, days] of [
      ['old', 31],
      ['month', 29.5],
      ['new', 1],
    ] as const)
      before.append(returned(confirmation, days));
    jest.useFakeTimers({
      now,
      doNotFake: ['setImmediate', 'setTimeout', 'clearTimeout', 'nextTick', 'queueMicrotask'],
    });
    try {
      simulators = await startSimulators([supplier('one')], { latencyScale: 0, includeWithUrl: false, ledgers });
      const kept = () =>
        simulators
          ?.rented()
          .get('one')
          ?.map(({ confirmation }) => confirmation);
      expect(kept()).toEqual(['month', 'new']);
      const size = statSync(file).size;
      jest.advanceTimersByTime(DAY_MS);
      expect(kept()).toEqual(['new']);
      for (let tries = 0; tries < 100 && statSync(file).size >= size; tries += 1) await wait(10);
      expect(new LedgerFile(file, ledgers.keys).restore(0).map(({ confirmation }) => confirmation)).toEqual(['new']);
    } finally {
      jest.useRealTimers();
      rmSync(folder, { recursive: true });
    }
  },
);

import { CELLS, type Cell } from '../proof-chaos/cells.js';
import { FAULTS } from '../proof-chaos/fault-proxy.js';
import { findings, judgeLedger } from '../proof-chaos/judge.js';
import { ChaosPlay } from '../proof-chaos/proof.js';
import { type ChaosWorld, startWorld } from '../proof-chaos/world.js';
import { describeWith } from '../support/binaries.js';
import { freshDatabase } from '../support/database.js';

/** Every fault, part and operation; among similar ones, those that take the least time. */
const PLAYED = [
  'Redis latency search',
  'Redis half-open token',
  'Redis slow drip search',
  'Redis reset book',
  'PostgreSQL jitter token',
  'PostgreSQL bandwidth token',
  'PostgreSQL reset book',
  'supplier one-way loss book',
  'supplier reset search',
  'supplier slow drip token',
];
const nameOf = ({ part, fault, operation }: Cell): string => `${part} ${fault} ${operation}`;
const cells = CELLS.filter((cell) => PLAYED.includes(nameOf(cell)));

describeWith('redis-server', 'initdb')('faults of the network (docs/chaos.md)', () => {
  let world: ChaosWorld;
  let play: ChaosPlay;
  beforeAll(async () => {
    world = await startWorld(await freshDatabase());
    play = await ChaosPlay.of(world);
  });
  afterAll(() => world.dispose());

  test('every fault is played', () => {
    expect(cells.map(nameOf).toSorted()).toEqual(PLAYED.toSorted());
    expect(new Set(cells.map(({ fault }) => fault)).size).toBe(Object.keys(FAULTS).length);
  });

  test.each(cells.map((cell) => [nameOf(cell), cell] as const))(
    '%s: answered and recovered as documented',
    async (_name, cell) => {
      expect(findings(cell, await play.play(cell))).toEqual([]);
    },
  );

  test('afterwards no reservation is doubled, lost, wrong or unresolved, and SIGTERM ends the gateway', async () => {
    const ledger = judgeLedger(await world.books(), await world.reservations());
    expect(ledger).toEqual({ doubled: [], lost: [], wrong: [], unresolved: [] });
    expect(await world.stop()).toBe(0);
  });
});

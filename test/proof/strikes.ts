import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { dumpDatabase, restoreDatabase } from '../support/dump.js';
import type { Restore } from './evidence.js';
import type { RestartableGateway } from './gateways.js';
import type { ProofWorld } from './world.js';

/**
 * What happens to a process. anywhere: a gateway is killed at a random moment, with bookings in flight at suppliers.
 * unwritten: a gateway is killed while it writes to the database, and its writes are rolled back: reservations that were
 * never stored, suppliers' answers that were lost. written: the same, but its writes are committed after its death:
 * stored reservations without a booking, stored answers that no client received. database: PostgreSQL is stopped, with
 * its connections cut, for one second or for longer than gateways wait for it. disk: every write to the reservations
 * fails for some seconds as on a full disk (53100). clock: the clock of one gateway steps by minutes or an hour, twice.
 * pause: a gateway is stopped for some seconds (SIGSTOP) and continues. restore: the database is dumped; some seconds
 * later all gateways are killed, the dump is restored, and they start on it.
 */
export type Strike = 'anywhere' | 'unwritten' | 'written' | 'database' | 'disk' | 'clock' | 'pause' | 'restore';

/** How many strikes of each kind a run has. */
export interface StrikePlan {
  readonly kills: number;
  readonly databaseRestarts: number;
  readonly fullDisks: number;
  readonly clockSteps: number;
  readonly pauses: number;
  readonly restores: number;
}

/** What strikes hit, to show that no recovery point was missed. */
export interface StrikeCount {
  kills: number;
  databaseRestarts: number;
  fullDisks: number;
  clockSteps: number;
  pauses: number;
  restores: number;
  /** Reservations that restored databases lacked. */
  reservationsLost: number;
  /** Milliseconds of all pauses. */
  pausedMs: number;
  /** Writes that found the disk full. */
  writesRefused: number;
  /** Reservations in flight at a supplier, or waiting to be stored, when their gateway was killed or paused. */
  pendingAtKill: number;
  /**
   * New reservations and suppliers' answers that the killed gateway was storing: rolled back, or stored after its
   * death.
   */
  insertsRolledBack: number;
  insertsAfterDeath: number;
  updatesRolledBack: number;
  updatesAfterDeath: number;
}

const KILLS = ['anywhere', 'unwritten', 'written', 'anywhere'] as const;
const CHANCE_MS = 400;
/** How long the tables are locked so that a gateway is killed while it writes. */
const HELD_MS = 500;
const OUTAGES_MS = [1_000, 5_000];

/** Wrong clocks: more than a settle time, and more than most leases, ahead and behind. */
const CLOCKS_MS = [140_000, -140_000, 3_600_000, -3_600_000];
const SKEWED_MS = 2_000;
/** Long pauses outlast every timeout and the settle time. */
const PAUSES_MS = { least: 3_000, short: 6_000, long: 30_000 };
const FULL_MS = 2_500;
/** How old a dump is when it is restored. */
const DUMPED_BEFORE_MS = { least: 2_000, most: 6_000 };

/** Kills rotate through every kind; the other strikes are spread evenly among them. */
export function planStrikes(plan: StrikePlan): Strike[] {
  const strikes: Strike[] = Array.from({ length: plan.kills }, (_, count) => KILLS[count % KILLS.length] ?? 'anywhere');
  const others = {
    database: plan.databaseRestarts,
    disk: plan.fullDisks,
    clock: plan.clockSteps,
    pause: plan.pauses,
    restore: plan.restores,
  } as const;
  for (const [kind, times] of Object.entries(others) as [Strike, number][]) {
    for (let count = 0; count < times; count += 1) {
      const place = Math.floor(((count + 0.5) * (strikes.length + 1)) / times);
      strikes.splice(Math.min(place, strikes.length), 0, kind);
    }
  }
  return strikes;
}

/** Kills processes and restarts them. `count` holds the totals so far. */
export class Striker {
  readonly count: StrikeCount = {
    kills: 0,
    databaseRestarts: 0,
    fullDisks: 0,
    clockSteps: 0,
    pauses: 0,
    restores: 0,
    reservationsLost: 0,
    pausedMs: 0,
    writesRefused: 0,
    pendingAtKill: 0,
    insertsRolledBack: 0,
    insertsAfterDeath: 0,
    updatesRolledBack: 0,
    updatesAfterDeath: 0,
  };

  /** What was restored, in chronological order. */
  readonly restores: Restore[] = [];

  constructor(
    private readonly world: ProofWorld,
    private readonly draw: () => number,
    private readonly longPauses: boolean,
  ) {}

  /** Resolves when everything is running again. */
  async strike(kind: Strike): Promise<void> {
    if (kind === 'database') return this.#restartDatabase();
    if (kind === 'disk') return this.#fillDisk();
    if (kind === 'clock') return this.#stepClock();
    if (kind === 'restore') return this.#restore();
    const gateway = this.#pick();
    await wait(this.draw() * CHANCE_MS);
    if (kind === 'pause') return this.#pause(gateway);
    if (kind === 'anywhere' || !this.world.postgres) await this.#kill(gateway);
    else await this.#killWriting(gateway, kind);
    await wait(this.draw() * CHANCE_MS);
    await gateway.start();
  }

  #pick(): RestartableGateway {
    const { gateways } = this.world;
    const gateway = gateways[Math.floor(this.draw() * gateways.length)];
    if (!gateway) throw new Error('there is no gateway');
    return gateway;
  }

  /** The last gateway is the one whose clock goes wrong; it ends right, or as far off as a settle time. */
  async #stepClock(): Promise<void> {
    const gateway = this.world.gateways.at(-1);
    const aheadMs = CLOCKS_MS[this.count.clockSteps % CLOCKS_MS.length] ?? 0;
    this.count.clockSteps += 1;
    gateway?.setClock(aheadMs);
    await wait(SKEWED_MS * (1 + this.draw()));
    gateway?.setClock(this.draw() < 0.5 ? 0 : -Math.sign(aheadMs) * 140_000);
    await wait(SKEWED_MS);
    gateway?.setClock(this.draw() < 0.5 ? 0 : Math.sign(aheadMs) * 140_000);
  }

  async #pause(gateway: RestartableGateway): Promise<void> {
    const { least, short, long } = PAUSES_MS;
    const forMs = least + this.draw() ** 2 * ((this.longPauses ? long : short) - least);
    await this.#notePending();
    gateway.pause();
    await wait(forMs);
    gateway.resume();
    this.count.pauses += 1;
    this.count.pausedMs += Math.round(forMs);
  }

  /** A sequence counts the refused writes: it is not rolled back with them. */
  async #fillDisk(): Promise<void> {
    const { postgres } = this.world;
    if (!postgres) return;
    for (const statement of FULL_DISK) await postgres.query(statement);
    await wait(FULL_MS);
    for (const table of FILLED) await postgres.query(`drop trigger proof_full on ${table}`);
    const [row] = await postgres.query("select nextval('proof_refused')::int - 1 as refused");
    for (const statement of EMPTIED) await postgres.query(statement);
    this.count.fullDisks += 1;
    this.count.writesRefused += Number(row?.refused);
  }

  async #restartDatabase(): Promise<void> {
    const { postgres } = this.world;
    if (!postgres) return;
    const outageMs = OUTAGES_MS[this.count.databaseRestarts % OUTAGES_MS.length] ?? 0;
    this.count.databaseRestarts += 1;
    await postgres.stop();
    await wait(outageMs);
    await postgres.start();
  }

  async #restore(): Promise<void> {
    const { postgres, gateways, folder } = this.world;
    if (!postgres) return;
    const dump = join(folder, `${this.count.restores}.dump`);
    const from = Date.now();
    await dumpDatabase(postgres.url, dump);
    const { least, most } = DUMPED_BEFORE_MS;
    await wait(least + this.draw() * (most - least));
    await this.#notePending();
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    const before = await this.#reservations();
    await restoreDatabase(postgres.url, dump);
    this.count.reservationsLost += before - (await this.#reservations());
    this.count.restores += 1;
    this.restores.push({ from, until: Date.now() });
    await Promise.all(gateways.map((gateway) => gateway.start()));
  }

  async #reservations(): Promise<number> {
    const [row] = await this.world.query('select count(*)::int as count from reservations');
    return Number(row?.count);
  }

  async #kill(gateway: RestartableGateway): Promise<void> {
    await this.#notePending();
    this.count.kills += 1;
    await gateway.kill();
  }

  async #notePending(): Promise<void> {
    const [row] =
      (await this.world.postgres?.query("select count(*)::int as pending from reservations where state = 'pending'")) ??
      [];
    this.count.pendingAtKill += Number(row?.pending ?? 0);
  }

  /**
   * Locks the tables, so that writes wait in the database; kills; then lets the killed gateway's writes through, or
   * not.
   */
  async #killWriting(gateway: RestartableGateway, kind: 'unwritten' | 'written'): Promise<void> {
    const lock = new pg.Client({ connectionString: this.world.postgres?.url });
    await lock.connect();
    try {
      await lock.query('begin');
      await lock.query('lock table idempotency_keys, reservations in exclusive mode');
      await wait(HELD_MS);
      await this.#kill(gateway);
      const { rows } = await lock.query<{ pid: number; inserts: boolean }>(
        `select pid, query like '%insert into reservations%' as inserts from pg_stat_activity
         where application_name = $1 and wait_event_type = 'Lock'`,
        [gateway.name],
      );
      if (kind === 'unwritten') for (const { pid } of rows) await lock.query('select pg_terminate_backend($1)', [pid]);
      const inserts = rows.filter((row) => row.inserts).length;
      this.count[kind === 'unwritten' ? 'insertsRolledBack' : 'insertsAfterDeath'] += inserts;
      this.count[kind === 'unwritten' ? 'updatesRolledBack' : 'updatesAfterDeath'] += rows.length - inserts;
    } finally {
      await lock.end();
    }
  }
}

const FILLED = ['reservations', 'reservation_events', 'idempotency_keys'] as const;
const FULL_DISK = [
  'create sequence proof_refused',
  `create function proof_full() returns trigger language plpgsql as $$ begin
     perform nextval('proof_refused');
     raise exception 'could not extend file: No space left on device' using errcode = '53100';
   end $$`,
  ...FILLED.map(
    (table) =>
      `create trigger proof_full before insert or update on ${table} for each row execute function proof_full()`,
  ),
];
const EMPTIED = ['drop function proof_full()', 'drop sequence proof_refused'];

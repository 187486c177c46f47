import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { ProofWorld, RestartableGateway } from './world.js';

/**
 * How a process is killed. anywhere: a gateway, at a random moment, with bookings in flight at suppliers. unwritten: a
 * gateway while it writes to the database, and its writes are rolled back: reservations that were never stored,
 * suppliers'
 *   answers that were lost.
 * written: the same, but its writes are committed after its death: stored reservations without a booking, stored
 * answers that no client received. database: PostgreSQL, with its connections cut, for one second or for longer than
 * gateways wait for it.
 */
export type Strike = 'anywhere' | 'unwritten' | 'written' | 'database';

/** What strikes hit, to show that no recovery point was missed. */
export interface StrikeCount {
  kills: number;
  databaseRestarts: number;
  /** Reservations in flight at a supplier, or waiting to be stored, when their gateway may have crashed. */
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

/** This many kills, rotating through every kind, with the database's outages between them. */
export function planStrikes(kills: number, databaseRestarts: number): Strike[] {
  const strikes: Strike[] = Array.from({ length: kills }, (_, count) => KILLS[count % KILLS.length] ?? 'anywhere');
  for (let count = 0; count < databaseRestarts; count += 1) {
    const place = Math.floor(((count + 0.5) * (strikes.length + 1)) / databaseRestarts);
    strikes.splice(Math.min(place, strikes.length), 0, 'database');
  }
  return strikes;
}

/** Kills processes and restarts them. `count` holds the totals so far. */
export class Striker {
  readonly count: StrikeCount = {
    kills: 0,
    databaseRestarts: 0,
    pendingAtKill: 0,
    insertsRolledBack: 0,
    insertsAfterDeath: 0,
    updatesRolledBack: 0,
    updatesAfterDeath: 0,
  };

  constructor(
    private readonly world: ProofWorld,
    private readonly draw: () => number,
  ) {}

  /** Resolves when the killed process is running again. */
  async strike(kind: Strike): Promise<void> {
    if (kind === 'database') return this.#restartDatabase();
    const gateway = this.world.gateways[this.draw() < 0.5 ? 0 : 1];
    await wait(this.draw() * CHANCE_MS);
    if (kind === 'anywhere') await this.#kill(gateway);
    else await this.#killWriting(gateway, kind);
    await wait(this.draw() * CHANCE_MS);
    await gateway.start();
  }

  async #restartDatabase(): Promise<void> {
    const outageMs = OUTAGES_MS[this.count.databaseRestarts % OUTAGES_MS.length] ?? 0;
    this.count.databaseRestarts += 1;
    await this.world.postgres.stop();
    await wait(outageMs);
    await this.world.postgres.start();
  }

  async #kill(gateway: RestartableGateway): Promise<void> {
    const [row] = await this.world.postgres.query(
      "select count(*)::int as pending from reservations where state = 'pending'",
    );
    this.count.pendingAtKill += Number(row?.pending);
    this.count.kills += 1;
    await gateway.kill();
  }

  /**
   * Locks the tables, so that writes wait in the database; kills; then lets the killed gateway's writes through, or
   * not.
   */
  async #killWriting(gateway: RestartableGateway, kind: 'unwritten' | 'written'): Promise<void> {
    const lock = new pg.Client({ connectionString: this.world.postgres.url });
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

import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { Product } from '../auth/public.decorator.js';
import { configSchema } from '../config/config.schema.js';
import { OperatorReads } from '../database/operator-reads.js';
import { ApiError } from '../status/api-error.js';
import type { Switches } from '../supplier-states/switches.service.js';
import { MaintenanceGuard } from './maintenance.guard.js';
import { MaintenanceService } from './maintenance.service.js';
import { MaintenanceSwitch, SERVICE } from './maintenance-switch.js';
import { Operational } from './operational.decorator.js';

const database = migratedDatabase('maintenance', 'audit_events');
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
const sandbox = () => new MaintenanceSwitch(database(), 'sandbox');

describe('the maintenance that an operator switches on', () => {
  it('is stored with its announced end, in its environment only, until it is switched off', async () => {
    const until = inMinutes(5);
    await sandbox().on('car_availability', null, 'ops');
    await sandbox().on(SERVICE, null, 'ops');
    await sandbox().on(SERVICE, until, 'ops');
    expect(await sandbox().current()).toEqual([
      { subject: 'car_availability', until: null },
      { subject: 'service', until },
    ]);
    expect(await new MaintenanceSwitch(database(), 'production').current()).toEqual([]);
    expect([await sandbox().off(SERVICE, 'ops'), await sandbox().off(SERVICE, 'ops')]).toEqual([true, false]);
    expect(await sandbox().current()).toEqual([{ subject: 'car_availability', until: null }]);
  });

  it('ends at its announced end, and there is nothing to switch off then', async () => {
    await sandbox().on(SERVICE, inMinutes(-1), 'ops');
    expect(await sandbox().current()).toEqual([]);
    expect(await sandbox().off(SERVICE, 'ops')).toBe(false);
  });

  it('leaves an audit row for each change, with the state before and after', async () => {
    await sandbox().on(SERVICE, null, 'ada');
    await sandbox().on(SERVICE, inMinutes(5), 'eve');
    await sandbox().off(SERVICE, 'ada');
    await sandbox().off(SERVICE, 'ada');
    const rows = await database().rows<{ line: string }>(
      sql`select concat_ws(' ', actor, action, subject, before is not null, after is not null) as line from audit_events order by id`,
    );
    expect(rows.map(({ line }) => line)).toEqual([
      'ada maintenance_switched_on service f t',
      'eve maintenance_switched_on service t t',
      'ada maintenance_switched_off service t f',
    ]);
  });
});

const NO_SWITCHES = { current: [], of: () => undefined } as unknown as Switches;
const isoOf = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;

describe('a call', () => {
  class Cars {
    @Product('car_availability')
    find(): void {}
    @Product('car_reservation')
    book(): void {}
    /** Belongs to no product. */
    token(): void {}
  }

  @Operational()
  class Health {
    live(): void {}
  }

  /** What the guard says about each method: its details and Retry-After; undefined = admitted. */
  async function judged(settings: object = {}): Promise<Readonly<Record<string, string | undefined>>> {
    const config = configSchema.parse(settings);
    const reads = new OperatorReads(database(), 500, pino({ level: 'silent' }));
    const service = new MaintenanceService(reads, config, NO_SWITCHES);
    await reads.start();
    const guard = new MaintenanceGuard(config, new Reflector(), service);
    const judge = (type: { readonly prototype: object }, method: string): string | undefined => {
      const handler = Reflect.get(type.prototype, method);
      const request: { isMaintenance?: true } = {};
      const context = {
        getHandler: () => handler,
        getClass: () => type,
        switchToHttp: () => ({ getRequest: () => request }),
      } as unknown as ExecutionContext;
      try {
        guard.canActivate(context);
        return undefined;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // So that it doesn't count as a failure of the gateway.
        expect(request.isMaintenance).toBe(true);
        return `${error.headers['retry-after']}: ${error.problems[0].details}`;
      }
    };
    reads.stop();
    return {
      find: judge(Cars, 'find'),
      book: judge(Cars, 'book'),
      token: judge(Cars, 'token'),
      live: judge(Health, 'live'),
    };
  }

  it('of a product in maintenance is a 503 with the announced end, and calls of others are admitted', async () => {
    const until = inMinutes(10);
    await sandbox().on('car_availability', until, 'ops');
    expect(await judged()).toEqual({
      find: expect.stringMatching(
        new RegExp(`^(600|59\\d): The product car_availability is down for maintenance until ${isoOf(until)}\\.$`),
      ),
    });
    await sandbox().on('car_availability', null, 'ops');
    expect(await judged({ maintenance: { retryAfterSeconds: 77 } })).toMatchObject({
      find: expect.stringMatching(/^77: /),
    });
  });

  it('is a 503 if the service is in maintenance, until its end even if a product is longer, unless it is operational', async () => {
    await sandbox().on('car_availability', inMinutes(10), 'ops');
    const until = inMinutes(5);
    await sandbox().on(SERVICE, until, 'ops');
    const down = expect.stringMatching(
      new RegExp(`^(300|29\\d): The service is down for maintenance until ${isoOf(until)}\\.$`),
    );
    expect(await judged()).toEqual({ find: down, book: down, token: down, live: undefined });
    await sandbox().off(SERVICE, 'ops');
    await sandbox().off('car_availability', 'ops');
    expect(await judged()).toEqual({});
    const configured = '120: The service is down for maintenance. Try again in 120 s.';
    expect(await judged({ maintenance: { on: true } })).toEqual({
      find: configured,
      book: configured,
      token: configured,
      live: undefined,
    });
  });
});

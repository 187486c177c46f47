import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import type { Database } from '../database/database.js';
import { AccountData } from './account-data.js';
import { ApplicationAdmin } from './application-admin.js';
import { ClientSecrets } from './client-secrets.js';

/** Texts that the type jsonb refuses and the type json keeps: NUL, and both halves of a surrogate pair alone. */
const REFUSED = ['before\0after', 'before\ud83d', '\ude97after'];
/** The JSON of an object with these texts, as PostgreSQL gets it. */
const TEXTS = JSON.stringify({ texts: REFUSED });

/** What the export of an account's data does the same way on both databases. `open` opens a migrated one without rows. */
export function accountExportContract(name: string, open: () => Promise<Database>): void {
  describe(`the export of an account on ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await open();
    });
    afterAll(() => database.close());

    it('has what the columns of type json hold, shown or not, even what jsonb refuses', async () => {
      const { rows } = database;
      await rows(sql`insert into accounts (id, environment, name, tier, email)
        values ('acc_1', 'sandbox', 'Ada', 'standard', 'ada@example.com')`);
      await rows(sql`insert into applications (id, account_id, environment, client_id, name, tier)
        values ('app_1', 'acc_1', 'sandbox', 'client_1', 'Shop', 'standard')`);
      await rows(sql`insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor,
        version, rental, view, payment, strays, price_drift, cancellation, sent_until, created_at, updated_at) values ('res_1', 'sandbox',
        'app_1', 'alpine', 'pending', 'new', 'application', 1, '{}', ${TEXTS}, ${TEXTS}, ${TEXTS}, ${TEXTS}, ${TEXTS}, now(), now(), now())`);
      await rows(sql`insert into request_log values ('app_1', now(), 'req_1', 'searchVehicles', 200, 10, ${TEXTS})`);
      await rows(
        sql`insert into usage_counters values ('app_1', '2025-01-01T10:00:00Z', 'searchVehicles', 200, 3, 30)`,
      );
      await rows(sql`insert into audit_events (actor, action, subject, before, after)
        values ('acc_1', 'name_changed', 'acc_1', ${TEXTS}, ${TEXTS})`);

      const config = configSchema.parse({ secret: 'a-secret-of-the-account-data-tests-0123456789' });
      const admin = new ApplicationAdmin(database, 'sandbox', new ClientSecrets(config, loadKeys(config)), undefined);
      const data = new AccountData(database, admin, undefined, 'sandbox');
      let text = '';
      for await (const part of data.export(await data.find('acc_1'), 'ops')) text += part;
      const { exported_at, environment, ...lists } = JSON.parse(text) as Record<string, Record<string, unknown>[]>;

      const texts = { texts: REFUSED };
      expect(lists.reservations).toMatchObject([{ id: 'res_1', price_drift: texts, cancellation: texts }]);
      expect(Object.keys(lists.reservations?.[0] ?? {})).not.toContain('view');
      expect(lists.requests).toMatchObject([{ request_id: 'req_1', trace: texts }]);
      expect(lists.changes?.[0]).toMatchObject({ action: 'name_changed', before: texts, after: texts });
      expect(lists.usage_by_day).toMatchObject([{ day: '2025-01-01', calls: 3 }]);
      // Members of a row are in the order in which jsonb has them.
      for (const row of Object.values(lists).flat()) {
        const names = Object.keys(row);
        expect(names).toEqual(names.toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1)));
      }
    });
  });
}

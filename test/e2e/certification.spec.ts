import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { mintToken } from '../../src/auth/credentials.js';
import { configSchema } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import type { SentRequest } from '../../src/http/request-recorder.js';
import { BEHAVIORS } from '../../src/portal/applications/certification/behaviors.js';
import { requestMarks } from '../../src/records/request-marks.js';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { type Create, certifyClients, wrong } from '../support/certification/certified.js';
import { ListingClient, SdkClient } from '../support/certification/other-clients.js';
import { PlainClient } from '../support/certification/plain-client.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { gwInThread } from '../support/gw.js';
import { locationsPath } from '../support/rental.js';

const ALL = BEHAVIORS.map(({ id }) => id);

const CORRECT: Readonly<Record<string, Create>> = {
  'of a few lines of fetch': (wire, credentials) => new PlainClient(wire, credentials),
  'that lists reservations and searches by body': (wire, credentials) => new ListingClient(wire, credentials),
  'of the SDK': (wire, credentials) => new SdkClient(wire, credentials),
};

/**
 * Behaviors that one client gets wrong: each is in one of the groups, where none hides another. That a client that gets
 * only one wrong fails only that is shown by certification-flaws.long.spec.ts.
 */
const FLAWS: readonly (readonly string[])[] = [
  ['token_renewed'],
  ['token_reused', 'partial_used', 'key_sent', 'outcome_followed'],
  ['waits_after_429', 'pages_followed', 'key_repeated', 'price_change_accepted', 'not_booked_again'],
  ['waits_after_503', 'ids_opaque', 'key_per_booking'],
  ['refusals_accepted', 'new_key_after_refusal', 'polls_gently', 'bookings_cancelled'],
  ['below_limit', 'failures_backed_off', 'unknown_change_read'],
];
const WRONG = FLAWS.map((flaws): [string, Create] => [flaws.join(', '), wrong(...flaws)]);

describeWith('redis-server', 'initdb')('certification of real clients', () => {
  const certified = certifyClients({ ...CORRECT, ...Object.fromEntries(WRONG) });

  test.each(Object.keys(CORRECT))('a correct client %s passes all behaviors', (name) => {
    const { passed, failed, unseen } = certified().resultOf(name);
    expect({ failed, unseen }).toEqual({ failed: [], unseen: [] });
    expect(passed).toEqual(ALL);
  });

  test('each behavior is one that a client gets wrong', () => {
    expect(FLAWS.flat().sort()).toEqual([...ALL].sort());
  });

  test.each(WRONG.map(([name]) => name))(
    'a client that gets %s wrong fails only that, and its requests are named',
    (name) => {
      const { failed } = certified().resultOf(name);
      expect(failed.map(({ id }) => id).sort()).toEqual(name.split(', ').sort());
      for (const { id, shown } of failed) expect([id, shown.length > 0]).toEqual([id, true]);
    },
  );

  test('gw certify prints the same, and its exit code says whether a behavior failed', () => {
    const { env, applicationOf } = certified();
    const certify = (name: string, ...more: string[]) => gwInThread(['certify', applicationOf(name), ...more], env);
    const correct = certify('of the SDK');
    expect([correct.status, correct.stderr]).toEqual([
      0,
      expect.stringMatching(/^20 of 20 passed, 0 failed\. Judged by \d+/),
    ]);
    const failing = certify('token_renewed', '--json');
    expect(failing.status).toBe(1);
    expect(JSON.parse(failing.stdout)).toContainEqual(
      expect.objectContaining({ behavior: 'token_renewed', result: 'failed' }),
    );
    const unknown = gwInThread(['certify', 'app_unknown'], env);
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('there is no application app_unknown'),
    ]);
  });

  test('a token that was never admitted proves nothing: its 401 is not kept for the application that it names', async () => {
    const { applicationOf, database, gateway } = certified();
    const applicationId = applicationOf('token_renewed');
    const [row] = await database.rows<{ account: string }>(
      sql`select account_id as account from applications where id = ${applicationId}`,
    );
    const owner = { accountId: row?.account ?? '', applicationId };
    const kept = () =>
      database.rows(sql`select 1 from request_log where application_id = ${applicationId} and status = 401`);
    const before = (await kept()).length;
    const headers = { authorization: `Bearer ${mintToken(owner, 'sandbox')}` };
    expect((await fetch(`${gateway.baseUrl}${locationsPath('boston')}`, { headers })).status).toBe(401);
    // Requests are written in order: once a later one is in the records, this one would be.
    const { client_id, client_secret } = gateway.credentials();
    const later = await fetch(`${gateway.baseUrl}/oauth/token/v1`, { headers: { client_id, client_secret } });
    const id = later.headers.get('x-request-id');
    await eventually(
      () => database.rows(sql`select 1 from request_log where request_id = ${id}`),
      (rows) => rows.length === 1,
    );
    expect([before > 0, (await kept()).length]).toEqual([true, before]);
  });

  claim(
    'personal-data',
    'What compares sandbox requests with each other are digests: no token, key, id, body or card number can be read from the records.',
    async () => {
      const { database, gateway } = certified();
      const rows = await database.rows<{ trace: string }>(sql`select trace::text from request_log`);
      const text = rows.map(({ trace }) => trace).join('\n');
      expect(rows.length).toBeGreaterThan(500);
      for (const word of ['Sample', '4000000000000002', 'off_', 'res_', 'fc_s_', 'always-', 'boston', 'ADA'])
        expect([word, new RegExp(`(?<![\\w-])${word}`).test(text)]).toEqual([word, false]);
      // Trying all card numbers requires the key.
      const url = locationsPath('boston');
      const client = await Client.of(gateway);
      const { headers } = await client.get(url);
      client.close();
      const [row] = await eventually(
        () =>
          database.rows<{ application: string; same: string }>(
            sql`select application_id as application, trace -> 'marks' ->> 'same' as same from request_log
              where request_id = ${headers['x-request-id']}`,
          ),
        (found) => found.length === 1,
      );
      const sent = { url } as SentRequest;
      const markWith = (key: KeyObject) => requestMarks(row?.application ?? '', sent, key).same;
      const own = loadKeys(configSchema.parse({ dataFolder: gateway.dataFolder }))('request_marks');
      expect(row?.same).toBe(markWith(own));
      expect(row?.same).not.toBe(markWith(createSecretKey(randomBytes(32))));
    },
  );

  test('only requests since the beginning of a new certification count', async () => {
    const { applicationOf, database, judgedNow } = certified();
    const name = 'token_renewed';
    await database.rows(sql`update applications set judged_from = now() where id = ${applicationOf(name)}`);
    expect(await judgedNow(name)).toEqual({ passed: [], failed: [], unseen: ALL });
  });
});

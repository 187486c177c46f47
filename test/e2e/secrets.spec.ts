import { TOTP } from 'otpauth';
import pg from 'pg';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread, type Said } from '../support/gw.js';
import { passwordHash } from '../support/password-hash.js';
import { PortalPerson } from '../support/portal-person.js';
import { locationsPath } from '../support/rental.js';
import { FORECOURT_SECRET } from '../support/session.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

interface Created {
  readonly account_id: string;
  readonly application_id: string;
  readonly client_id: string;
  readonly secret_id: string;
  readonly client_secret: string;
}

describeWith('redis-server', 'initdb')('applications and their secrets, on two gateways', () => {
  const running = sharedGateway();
  let postgres: SharedGateway['postgres'];
  let gateways: readonly Gateway[] = [];
  let a: Client;
  let b: Client;

  beforeAll(async () => {
    ({ postgres, client: a } = running());
    gateways = [running().gateway, await startGateway(running().options)];
    b = await Client.of(gateways[1] as Gateway);
  });
  afterAll(async () => {
    b.close();
    await gateways[1]?.stop();
  });

  /** Runs the command line next to the gateways. */
  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    gwInThread(words, { ...running().options.env, ...more });
  const created = (...words: string[]): Created => JSON.parse(run(words).stdout) as Created;
  const create = (name: string, ...more: string[]): Created =>
    created('apps', 'create', name, '--tier', 'demo', ...more);
  const mint = (client: Client, { client_id, client_secret }: Created) =>
    client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
  const tokenOf = async (client: Client, application: Created) => (await mint(client, application)).body.access_token;
  const search = async (client: Client, token: string) => (await client.get(locationsPath('BOS'), { token })).status;
  const audit = async (subject: string) =>
    (await postgres.query('select actor, action from audit_events where subject = $1 order by id', [subject])).map(
      ({ actor, action }) => `${actor} ${action}`,
    );
  /** Calls B until it answers 401; returns how long that took. */
  async function deadAt(client: Client, token: string): Promise<number> {
    const startedAt = performance.now();
    while ((await search(client, token)) !== 401)
      if (performance.now() - startedAt > 5_000) throw new Error('the token lives on');
    return performance.now() - startedAt;
  }

  test('an application is created, listed and shown, and gets tokens immediately', async () => {
    const made = create('First');
    expect(made).toMatchObject({
      application_id: expect.stringMatching(/^app_/),
      client_secret: expect.stringMatching(/^fcs_[\w-]{43}$/),
    });
    expect(await search(b, await tokenOf(a, made))).toBe(200);
    expect(run(['apps', 'list']).stdout).toContain(
      [made.application_id, made.account_id, 'First', made.client_id].join('\t'),
    );
    const shown = run(['apps', 'show', made.application_id]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      name: 'First',
      state: 'active',
      secrets: [{ id: made.secret_id }],
    });
    expect(shown.stdout).not.toContain(made.client_secret);
    expect(await audit(made.application_id)).toEqual(['ops application_created']);
  });

  test('an account may have several applications with selected products', async () => {
    const first = create('Of an account');
    const second = create('Of the same', '--account', first.account_id, '--products', 'car_availability');
    expect(second.account_id).toBe(first.account_id);
    expect(second.client_id).not.toBe(first.client_id);
    expect(await search(a, await tokenOf(a, second))).toBe(403);
  });

  test('new limits of an application and of its account apply to its tokens on every gateway, and are recorded', async () => {
    const made = create('Grows');
    const token = await tokenOf(a, made);
    const policyAt = async (client: Client) =>
      (await client.get(locationsPath('BOS'), { token })).headers['ratelimit-policy'] as string;
    expect(await policyAt(b)).not.toContain('"account"');
    for (const [subject, which] of [
      [made.application_id, 'apps'],
      [made.account_id, 'accounts'],
    ] as const) {
      const set = run([which, 'tier', subject, 'standard', '--reason', 'they grow']);
      expect([set.status, set.stdout.trim()]).toEqual([0, `${subject}: tier standard`]);
      run([which, 'tier', subject, 'standard']);
      expect(await audit(subject)).toContain(`ops ${which === 'apps' ? 'application' : 'account'}_tier_set`);
      expect((await audit(subject)).filter((text) => text.endsWith('tier_set'))).toHaveLength(1);
    }
    for (const client of [a, b]) {
      const policy = await policyAt(client);
      expect(policy).toContain('"application-day";q=2000000');
      expect(policy).toContain('"account-day";q=5000000');
    }
  });

  test.each([
    [['apps', 'create', 'X', '--account', 'acc_nobody'], /there is no account acc_nobody/],
    [['apps', 'create', 'X', '--tier', 'golden'], /has no tier "golden"; it has demo, /],
    [['apps', 'tier', 'app_demo', 'golden'], /has no tier "golden"; it has demo, /],
    [['apps', 'tier', 'app_none', 'demo'], /There is no application app_none in sandbox/],
    [['accounts', 'tier', 'nobody@example.com', 'demo'], /There is no account nobody@example.com in sandbox/],
    [['apps', 'create', 'X', '--products', 'planes'], /there is no product "planes"/],
    [['apps', 'suspend', 'app_nobody'], /There is no application app_nobody/],
    [['secrets', 'rotate', 'app_nobody'], /There is no application app_nobody/],
    [['secrets', 'rotate', 'app_demo', '--overlap', 'long'], /--overlap must be a number of hours from 0 to 8760/],
    [['secrets', 'revoke', 'sec_nobody'], /there is no secret sec_nobody/],
  ])('rejects %j with exit code 2', (words, message) => {
    const { status, stdout, stderr } = run(words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  claim(['API2', 'V10.4'], 'A token revoked at one gateway stops working at the others within a second.', async () => {
    const made = create('Revoker');
    const token = await tokenOf(a, made);
    expect(await search(b, token)).toBe(200);
    const authorization = `Basic ${Buffer.from(`${made.client_id}:${made.client_secret}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
    await a.call('POST', '/oauth/revoke/v1', { token: null, headers, body: `token=${token}` });
    expect(await deadAt(b, token)).toBeLessThan(1_000);
  });

  test('suspending ends tokens on every gateway and answers the pair 401; resuming restores access', async () => {
    const made = create('Suspended');
    const token = await tokenOf(a, made);
    const { stdout, stderr } = run(['apps', 'suspend', made.application_id]);
    expect([stdout, stderr]).toEqual([
      `${made.application_id}: suspended\n`,
      '1 active tokens revoked on every gateway.\n',
    ]);
    expect([await search(a, token), await search(b, token)]).toEqual([401, 401]);
    expect((await mint(b, made)).reasons).toEqual(['authentication_failure']);
    run(['apps', 'resume', made.application_id]);
    expect(await search(a, token)).toBe(401);
    expect(await search(a, await tokenOf(b, made))).toBe(200);
    expect(await audit(made.application_id)).toEqual([
      'ops application_created',
      'ops application_suspended',
      'ops application_resumed',
    ]);
  });

  /** The answer of a token call that `change` overtakes: the call had already passed its checks. */
  async function overtaken(made: Created, change: (locker: pg.Client) => unknown) {
    const locker = new pg.Client({ connectionString: postgres.url });
    await locker.connect();
    // The first use of a secret is noted in its row: the call waits there.
    await locker.query('begin');
    await locker.query('select 1 from client_secrets where id = $1 for update', [made.secret_id]);
    const minting = mint(a, made);
    const waiting =
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like '%last_used_at%'";
    await eventually(
      () => postgres.query(waiting),
      (rows) => rows.length > 0,
    );
    await change(locker);
    await locker.query('commit');
    await locker.end();
    return minting;
  }

  test('a token call that a suspension overtakes gets no token', async () => {
    const made = create('Overtaken');
    const late = await overtaken(made, () => run(['apps', 'suspend', made.application_id]));
    expect([late.status, late.reasons]).toEqual([401, ['authentication_failure']]);
  });

  test('a token call that a lost subscription overtakes gets a token without it', async () => {
    const made = create('Unsubscribed');
    const late = await overtaken(made, () =>
      postgres.query('delete from subscriptions where application_id = $1', [made.application_id]),
    );
    expect(late.status).toBe(200);
    expect(await search(a, late.body.access_token)).toBe(403);
  });

  claim(
    ['API2', 'V13.3.4'],
    'After a client secret is rotated, both secrets work during the overlap and only the newer one afterwards.',
    async () => {
      const old = create('Rotated');
      const token = await tokenOf(a, old);
      const renewed = created('secrets', 'rotate', old.application_id, '--overlap', '1');
      expect(renewed.client_id).toBe(old.client_id);
      expect([(await mint(a, old)).status, (await mint(a, renewed)).status]).toEqual([200, 200]);
      const [row] = await postgres.query('select expires_at from client_secrets where id = $1', [old.secret_id]);
      expect(Math.abs(Number(row?.expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
      created('secrets', 'rotate', old.application_id, '--overlap', '0');
      const [first, second] = [await mint(a, old), await mint(b, renewed)];
      expect([first.status, first.reasons, second.status]).toEqual([401, ['authentication_failure'], 401]);
      expect(await search(b, token)).toBe(200);
      expect(await audit(old.application_id)).toEqual([
        'ops application_created',
        'ops secret_rotated',
        'ops secret_rotated',
      ]);
    },
  );

  claim(
    ['API2', 'V8.3.2'],
    'Revoking a client secret immediately revokes its tokens on every gateway; other secrets and their tokens stay valid.',
    async () => {
      const old = create('Leaked');
      const renewed = created('secrets', 'rotate', old.application_id);
      const ofOld = [await tokenOf(a, old), await tokenOf(b, old)];
      const ofRenewed = await tokenOf(a, renewed);
      expect(run(['secrets', 'revoke', old.secret_id]).stderr).toBe('2 active tokens revoked on every gateway.\n');
      for (const token of ofOld) expect([await search(a, token), await search(b, token)]).toEqual([401, 401]);
      expect([await search(a, ofRenewed), await search(b, ofRenewed)]).toEqual([200, 200]);
      expect([(await mint(a, old)).status, (await mint(a, renewed)).status]).toEqual([401, 200]);
      expect(await postgres.query('select sealed from client_secrets where id = $1', [old.secret_id])).toEqual([
        { sealed: null },
      ]);
      expect((await audit(old.application_id)).at(-1)).toBe('ops secret_revoked');
      const late = create('Overtaken by a revocation');
      const overtaking = await overtaken(late, (locker) =>
        locker.query('update client_secrets set revoked_at = now() where id = $1', [late.secret_id]),
      );
      expect([overtaking.status, overtaking.reasons]).toEqual([401, ['authentication_failure']]);
    },
  );

  claim(
    ['operation', 'V13.3.2'],
    'Client secrets can be shown again with an audit entry; revoked ones cannot.',
    async () => {
      const old = create('Shown');
      const renewed = created('secrets', 'rotate', old.application_id);
      run(['secrets', 'revoke', old.secret_id]);
      const { stdout, stderr } = run(['secrets', 'show', old.application_id]);
      const [header, line = ''] = stdout.trim().split('\n');
      expect(header).toBe('secret\tvalue\texpires\tlast_used');
      expect(line.split('\t').slice(0, 2)).toEqual([renewed.secret_id, renewed.client_secret]);
      expect(stderr).toMatch(/in plain text.*recorded/);
      expect(await audit(old.application_id)).toContain('ops secret_shown');
    },
  );

  claim(
    ['API2', 'operation'],
    'A stored secret moved to another application or environment cannot be decrypted.',
    async () => {
      const [mine, other] = [create('Mine'), create('Other')];
      try {
        await postgres.query(
          'update client_secrets set sealed = (select sealed from client_secrets where id = $1) where id = $2',
          [mine.secret_id, other.secret_id],
        );
        await postgres.query(
          `insert into accounts (id, environment, name, tier) values ('acc_moved', 'production', 'Moved', 'demo')`,
        );
        await postgres.query(
          "update applications set environment = 'production', account_id = 'acc_moved' where id = $1",
          [mine.application_id],
        );
        for (const [{ application_id, client_secret }, FORECOURT_ENV] of [
          [other, 'sandbox'],
          [mine, 'sandbox'],
          [mine, 'production'],
        ] as const) {
          const { status, stdout } = run(['secrets', 'show', application_id], { FORECOURT_ENV });
          expect([status, stdout.includes(client_secret), stdout.includes(mine.client_secret)]).toEqual([
            2,
            false,
            false,
          ]);
        }
      } finally {
        // No other spec finds a secret that can't be decrypted.
        await postgres.query('delete from client_secrets where application_id = any($1)', [
          [mine.application_id, other.application_id],
        ]);
      }
    },
  );

  claim(['API2', 'V13.3.2'], 'The database holds no client secret in plaintext.', async () => {
    const made = create('Unreadable');
    const rows = await postgres.query(
      'select client_secrets::text as row from client_secrets union all select audit_events::text from audit_events',
    );
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ row }) => String(row).includes(made.client_secret))).toEqual([]);
  });

  test('the last use is recorded to the minute, with one write per minute however many calls', async () => {
    const made = create('Used');
    const version = async () =>
      (
        await postgres.query('select xmin::text as version, last_used_at from client_secrets where id = $1', [
          made.secret_id,
        ])
      )[0];
    const minuteNow = () => Math.floor(Date.now() / 60_000);
    let first: Awaited<ReturnType<typeof version>>;
    // Again if a minute ended between the calls.
    for (let minute = -1; minute !== minuteNow(); ) {
      minute = minuteNow();
      await mint(a, made);
      first = await version();
      await Promise.all(Array.from({ length: 10 }, (_, call) => mint(call % 2 === 0 ? a : b, made)));
      if (minute === minuteNow()) expect(await version()).toEqual(first);
    }
    const used = first?.last_used_at as Date;
    expect([used.getSeconds(), used.getMilliseconds()]).toEqual([0, 0]);
    expect(Date.now() - used.getTime()).toBeLessThan(61_000);
  });

  test('a demo application has the same secret at every start, in its own account', async () => {
    const [first, second] = gateways.map((gateway) => gateway.credentials());
    expect(second).toEqual(first);
    expect(await postgres.query("select account_id from applications where id = 'app_demo'")).toEqual([
      { account_id: 'acc_demo' },
    ]);
    expect((await postgres.query("select id from client_secrets where application_id = 'app_demo'")).length).toBe(1);
  });
});

describeWith('initdb')('without Redis', () => {
  let postgres: TestDatabase;
  let gateway: Gateway;
  let suspended: Said;
  let made: Created;
  const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
  const [one, two] = [keyOf(1), keyOf(2)];
  const env = () => ({
    DATABASE_URL: postgres.url,
    FORECOURT_SECRET,
    CLIENT_SECRET_KEYS: `1:${one}`,
    PERSONAL_DATA_KEYS: `1:${one}`,
  });
  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    gwInThread(words, { ...env(), ...more });
  const create = (name: string) => JSON.parse(run(['apps', 'create', name, '--tier', 'demo']).stdout) as Created;
  const mint = async ({ client_id, client_secret }: Created) =>
    (await fetch(`${gateway.baseUrl}/oauth/token/v1`, { headers: { client_id, client_secret } })).status;

  beforeAll(async () => {
    postgres = await freshDatabase();
    made = create('Suspended');
    suspended = run(['apps', 'suspend', made.application_id]);
    gateway = await startGateway({ env: env() });
  });
  afterAll(async () => {
    await gateway?.stop();
    await postgres.dispose();
  });

  test('suspending says that the gateway must be restarted', async () => {
    expect([suspended.status, suspended.stdout]).toEqual([0, `${made.application_id}: suspended\n`]);
    expect(suspended.stderr).toContain('restart the gateway');
    expect(await mint(made)).toBe(401);
  });

  claim(
    ['operation', 'V13.3.4'],
    'Key rotation re-encrypts client secrets, personal data, second factors and queued emails with the newest key, after which the older key is no longer needed.',
    async () => {
      const [kept, moved] = [create('Kept'), create('Moved')];
      await postgres.query(
        'update client_secrets set sealed = (select sealed from client_secrets where id = $1) where id = $2',
        [kept.secret_id, moved.secret_id],
      );
      await new PortalPerson(gateway.baseUrl).submit('/signup', { name: 'Ada Sample', email: 'ada@example.com' });
      const { person, secret } = await enrolled('eve@example.com');
      const sealings = () =>
        postgres.query("select split_part(text, '.', 1) as text, split_part(html, '.', 1) as html from outbox");
      // The second email says that two-factor authentication is on.
      expect(await eventually(sealings, ({ length }) => length > 1)).toEqual(Array(2).fill({ text: '1s', html: '1s' }));
      const both = { CLIENT_SECRET_KEYS: `2:${two},1:${one}`, PERSONAL_DATA_KEYS: `2:${two},1:${one}` };
      // The secret that was moved is reported, and doesn't delay others.
      const { status, stdout, stderr } = run(['keys', 'rotate'], both);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/cannot be decrypted.*sec_/)]);
      expect(stdout).toMatch(
        /^[1-9]\d* client secrets, 0 webhook secrets, 1 second factors, \d+ sets of personal data and \d queued emails re-encrypted\n$/,
      );
      expect(await sealings()).toEqual(Array(2).fill({ text: '2s', html: '2s' }));
      expect(run(['keys', 'rotate'], both).stdout).toMatch(/^0 client secrets/);
      const audited = "select actor, action from audit_events where subject = 'keys'";
      const rows = ['keys_rotation_begun', 'keys_rotated'].map((action) => ({ actor: 'ops', action }));
      expect(await postgres.query(audited)).toEqual([...rows, ...rows]);
      const alone = run(['secrets', 'show', kept.application_id], { CLIENT_SECRET_KEYS: `2:${two}` });
      expect(alone.stdout).toContain(kept.client_secret);
      expect(run(['secrets', 'show', kept.application_id]).status).toBe(2);
      expect(await mint(kept)).toBe(200);
      // The gateway doesn't have the key, so it can't check codes: no login succeeds without one. Another gateway may have it.
      const code = new TOTP({ secret }).generate();
      const refused = await person.submit('/login/code', { code });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
      await gateway.child.printed('"variable":"CLIENT_SECRET_KEYS","keyVersion":"2s"');
      expect(gateway.child.output()).toMatch(/"level":50.*"variable":"CLIENT_SECRET_KEYS","keyVersion":"2s"/);
    },
  );

  /** Someone with a second factor, who has entered the password and is asked for the code. */
  async function enrolled(email: string): Promise<{ person: PortalPerson; secret: string }> {
    const password = 'three quiet herons';
    await postgres.query(
      `insert into accounts (id, environment, name, tier, email, verified_at, role, password_hash)
       values ('acc_enrolled', 'sandbox', 'Eve Sample', 'standard', $1, now(), 'developer', $2)`,
      [email, passwordHash(password)],
    );
    const person = new PortalPerson(gateway.baseUrl);
    await person.submit('/login', { email, password });
    const page = await person.get('/account/two-factor');
    const secret = (/class="key">([^<]+)</.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
    await person.fill(page, '/account/two-factor', { code: new TOTP({ secret }).generate() });
    expect((await person.submit('/login', { email, password })).location).toContain('/login/code');
    return { person, secret };
  }
});

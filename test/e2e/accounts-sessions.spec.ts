import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TOTP } from 'otpauth';
import pg from 'pg';
import { mintToken } from '../../src/auth/credentials.js';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { type Cutter, startCutter } from '../support/cut-connection.js';
import { gwInThread } from '../support/gw.js';
import { holdRequest } from '../support/held-request.js';
import { linkIn } from '../support/mail-server.js';
import { passwordHash } from '../support/password-hash.js';
import { PortalPerson } from '../support/portal-person.js';
import { locationsPath } from '../support/rental.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const PASSWORD = 'three quiet herons';
const OTHER = 'nine loud magpies';
/** Where nothing listens. */
const NOWHERE = 'tcp://127.0.0.1:9';
const IDLE_MS = 720 * 60_000;
const DAY_MS = 86_400_000;
/** In this time the guard judges a request whose headers were sent; a test fails if it has not. */
const GUARDED_MS = 500;

describeWith('redis-server', 'initdb')('sessions of two gateways on one Redis and one PostgreSQL', () => {
  const running = sharedGateway();
  let postgres: SharedGateway['postgres'];
  let mail: SharedGateway['mail'];
  let store: Redis;
  let a: Gateway;
  /** Its ways to the store and the database can be cut. */
  let b: Gateway;
  let wayToStore: Cutter;
  let wayToDatabase: Cutter;
  const dataFolder = mkdtempSync(join(tmpdir(), 'forecourt-data-'));

  beforeAll(async () => {
    const { redis, options } = running();
    ({ postgres, mail, gateway: a } = running());
    store = new Redis(redis.url);
    [wayToStore, wayToDatabase] = await Promise.all([startCutter(redis.url), startCutter(postgres.url)]);
    const env = { ...options.env, REDIS_URL: wayToStore.url, DATABASE_URL: wayToDatabase.url };
    const settings = { ...options.config?.settings, portal: { sessionIdleMinutes: 30, sessionDays: 2 } };
    b = await startGateway({ ...options, env, config: { ...options.config, settings } });
  });
  afterAll(async () => {
    store.disconnect();
    await b?.stop();
    for (const way of [wayToStore, wayToDatabase]) way?.close();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  let people = 0;
  const person = (gateway = a, cookie?: string): PortalPerson => {
    people += 1;
    const who = new PortalPerson(gateway.baseUrl, { 'x-forwarded-for': `10.3.0.${people}` });
    who.cookie = cookie;
    return who;
  };
  const logIn = (who: PortalPerson, email: string, password = PASSWORD, next?: string) =>
    who.submit('/login', { email, password, ...(next === undefined ? {} : { next }) });
  const pathOf = (link: string): string => {
    const { pathname, hash } = new URL(link);
    return pathname + hash;
  };

  interface Member {
    readonly who: PortalPerson;
    readonly email: string;
    readonly id: string;
  }

  /** A person who signed up and is logged in. */
  async function newcomer(): Promise<Member> {
    const who = person();
    const email = `member-${people}@sessions.example`;
    await who.submit('/signup', { name: 'Ada Sample', email });
    await who.follow(pathOf(linkIn(await mail.next(email), '/verify/')), { new_password: PASSWORD });
    await logIn(who, email);
    const [row] = await postgres.query('select id from accounts where email = $1', [email]);
    return { who, email, id: String(row?.id) };
  }

  const password_hash = passwordHash(PASSWORD);
  /** The same without the sign-up, and with a password that is checked in no time. */
  async function member(): Promise<Member> {
    const who = person();
    const [email, id] = [`member-${people}@sessions.example`, `acc_session${people}`];
    await postgres.query(
      `insert into accounts (id, environment, name, tier, email, verified_at, role, password_hash)
       values ($1, 'sandbox', 'Ada Sample', 'standard', $2, now(), 'developer', $3)`,
      [id, email, password_hash],
    );
    await logIn(who, email);
    return { who, email, id };
  }

  /** The key of an account's only session. */
  async function sessionKey(id: string): Promise<string> {
    const [key, ...others] = await store.keys(`*{${id}}:session:*`);
    if (key === undefined || others.length > 0) throw new Error('there is not exactly one session');
    return key;
  }

  const signedIn = async (who: PortalPerson): Promise<boolean> => (await who.get('/account')).status === 200;

  claim(
    ['portal', 'V3.3.1'],
    'The session cookie is limited to this host and hidden from scripts and, except on loopback, plain HTTP. Redis holds only its digest.',
    async () => {
      const { email, id, who } = await member();
      await who.submit('/logout');
      const answer = await logIn(person(), email);
      const [cookie = ''] = answer.headers.getSetCookie();
      const local = new PortalPerson(a.baseUrl);
      const [plain] = (await logIn(local, email)).headers.getSetCookie();
      expect(plain).toMatch(/^forecourt=[a-z0-9]+\.[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
      expect([await signedIn(local), await signedIn(person(a, local.cookie))]).toEqual([true, false]);
      await local.submit('/logout');
      expect(cookie).toMatch(
        /^__Host-forecourt=[a-z0-9]+\.[\w-]{43}; Path=\/; Max-Age=2592000; Secure; HttpOnly; SameSite=Lax$/,
      );
      const secret = /\.([\w-]{43});/.exec(cookie)?.[1] ?? '';
      const key = await sessionKey(id);
      expect(key).not.toContain(secret);
      expect(await store.get(key)).not.toContain(secret);
    },
  );

  claim(['portal', 'V7.2'], 'A session id from before login is invalid afterwards.', async () => {
    const { email, who } = await member();
    const before = who.cookie;
    await logIn(who, email);
    expect(who.cookie).not.toBe(before);
    expect([await signedIn(who), await signedIn(person(a, before))]).toEqual([true, false]);
    const planted = `__Host-forecourt=${'0'.repeat(20)}.${'A'.repeat(43)}`;
    const victim = person(a, planted);
    await logIn(victim, email);
    expect([victim.cookie === planted, await signedIn(person(a, planted))]).toEqual([false, false]);
  });

  test.each([
    ['two cookies with the name', (cookie: string) => `${cookie}; ${cookie}`],
    ['another account before its secret', (cookie: string) => cookie.replace(/=[a-z0-9]+\./, '=demo.')],
    ['a truncated secret', (cookie: string) => cookie.slice(0, -1)],
    ['the cookie under a name without its prefix', (cookie: string) => cookie.replace('__Host-', '')],
  ])('%s: the person is not logged in', async (_what, change) => {
    const { who } = await member();
    expect(await signedIn(person(a, change(who.cookie ?? '')))).toBe(false);
  });

  claim(['portal', 'V7.2'], 'An unused session expires, and each use renews its idle lifetime.', async () => {
    const { id, who } = await member();
    const key = await sessionKey(id);
    await store.pexpire(key, 60_000);
    expect(await signedIn(who)).toBe(true);
    expect(await store.pttl(key)).toBeGreaterThan(IDLE_MS - 60_000);
    expect(await store.pttl(key)).toBeLessThanOrEqual(IDLE_MS);
    await store.pexpire(key, 1);
    for (let startedAt = Date.now(); (await store.exists(key)) === 1 && Date.now() - startedAt < 5_000; );
    expect(await signedIn(who)).toBe(false);
  });

  test('the settings of sessions are those of the gateway that is used', async () => {
    const { email, who } = await member();
    await who.submit('/logout');
    const there = person(b);
    const [cookie] = (await logIn(there, email)).headers.getSetCookie();
    expect(cookie).toContain('; Max-Age=172800;');
    const key = await sessionKey(`acc_session${people - 1}`);
    expect(await signedIn(there)).toBe(true);
    expect(await store.pttl(key)).toBeLessThanOrEqual(30 * 60_000);
    expect(await store.pttl(key)).toBeGreaterThan(29 * 60_000);
    const session = JSON.parse((await store.get(key)) ?? '{}') as { createdAtMs: number };
    await store.set(key, JSON.stringify({ ...session, createdAtMs: Date.now() - 2.1 * DAY_MS }), 'KEEPTTL');
    expect(await signedIn(there)).toBe(false);
  });

  claim(['portal', 'V7.2'], 'A session expires after its maximum lifetime, however often it is used.', async () => {
    const { id, who } = await member();
    const key = await sessionKey(id);
    const session = JSON.parse((await store.get(key)) ?? '{}') as { createdAtMs: number };
    const aged = (days: number) =>
      store.set(key, JSON.stringify({ ...session, createdAtMs: Date.now() - days * DAY_MS }), 'KEEPTTL');
    await aged(29.9);
    expect(await signedIn(who)).toBe(true);
    await aged(30.1);
    expect(await signedIn(who)).toBe(false);
  });

  claim(
    ['portal', 'V7.2'],
    'Logging out everywhere ends the sessions on every gateway within a second and is audited.',
    async () => {
      const { email, who } = await member();
      const elsewhere = person(b);
      await logIn(elsewhere, email);
      expect(await signedIn(elsewhere)).toBe(true);
      // The second gateway reads the row within milliseconds: the rest of the second is room for a busy machine.
      const startedAt = performance.now();
      expect((await who.submit('/logout/everywhere')).location).toBe('/login?notice=logged_out_everywhere');
      while (await signedIn(elsewhere))
        if (performance.now() - startedAt > 1_000) throw new Error('the session lives on');
      expect(performance.now() - startedAt).toBeLessThan(1_000);
      expect(who.cookie).toBeUndefined();

      const redirect = await elsewhere.get('/account?from=here');
      expect(redirect.location).toBe('/login?next=%2Faccount%3Ffrom%3Dhere');
      const login = await elsewhere.get(redirect.location ?? '');
      expect(login.text).toContain('Your session expired');
      expect(login.text).toContain('value="/account?from=here"');
      expect((await logIn(elsewhere, email, PASSWORD, '/account?from=here')).location).toBe('/account?from=here');
      expect((await elsewhere.get('/account')).text).toContain('You logged out all sessions.');
    },
  );

  claim(['portal', 'V7.2'], 'Logging out everywhere also ends sessions that the store no longer lists.', async () => {
    const { who, email, id } = await member();
    const elsewhere = person(b);
    await logIn(elsewhere, email);
    // A read of a session that may wait for a code must not shorten the lifetime of the list.
    await elsewhere.submit('/login/code', { code: '000000' });
    const sessions = await store.keys(`*{${id}}:session:*`);
    const lists = (await store.keys(`*{${id}}*`)).filter((key) => !sessions.includes(key));
    expect(sessions).toHaveLength(2);
    const lifetimes = await Promise.all(lists.map((key) => store.pttl(key)));
    expect(Math.max(...lifetimes)).toBeGreaterThan(IDLE_MS - 60_000);
    await store.del(...lists);
    expect(await signedIn(person(b, elsewhere.cookie))).toBe(true);
    await store.del(...lists);
    await who.submit('/logout/everywhere');
    expect(await store.exists(...sessions)).toBe(1);
    expect(await signedIn(elsewhere)).toBe(false);
  });

  test('a form sent after the session expired changes nothing and leads to the login with a notice', async () => {
    const { email, who } = await member();
    const elsewhere = person(b);
    await logIn(elsewhere, email);
    await elsewhere.submit('/logout/everywhere');
    const answer = await who.submit('/account/password', { password: PASSWORD, new_password: OTHER });
    expect(answer.location).toBe('/login?notice=session_over');
    expect((await who.get(answer.location ?? '')).text).toContain('Your session expired');
    expect((await logIn(person(), email)).status).toBe(303);
  });

  claim(['portal', 'V6.4.3'], 'An expired link in an email changes nothing and offers a new one.', async () => {
    const { email, id } = await member();
    await person().submit('/reset', { email });
    const link = pathOf(linkIn(await mail.next(email), '/reset/'));
    expect((await person().get(link)).status).toBe(200);
    await postgres.query("update account_links set expires_at = now() - interval '1 second' where account_id = $1", [
      id,
    ]);
    for (const answer of [await person().get(link), await person().follow(link, { new_password: OTHER })]) {
      expect([
        answer.status,
        answer.text.includes('This link expired.'),
        answer.text.includes('action="/reset"'),
      ]).toEqual([410, true, true]);
    }
    expect((await logIn(person(), email)).status).toBe(303);
  });

  test('of several links used concurrently, one activates', async () => {
    const email = 'links@sessions.example';
    const links: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      await person().submit('/signup', { name: 'Ada Sample', email });
      links.push(pathOf(linkIn(await mail.next(email), '/verify/')));
    }
    const locker = new pg.Client({ connectionString: postgres.url });
    await locker.connect();
    await locker.query('begin');
    await locker.query('select 1 from accounts where email = $1 for update', [email]);
    const answers = links.map((link, index) => person().follow(link, { new_password: `${PASSWORD} ${index}` }));
    // One at each gateway has passed its check; a gateway works on one use per account at a time.
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await eventually(
      () => postgres.query(waiting),
      ({ length }) => length > 0,
    );
    await locker.query('commit');
    await locker.end();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect([...statuses].sort()).toEqual([303, 410, 410]);
    expect((await logIn(person(), email, `${PASSWORD} ${statuses.indexOf(303)}`)).status).toBe(303);
  });

  claim(
    ['portal', 'V11.4.2'],
    'The database holds no password, link or email text in plaintext; passwords are hashed with Argon2id.',
    async () => {
      const email = 'clear@sessions.example';
      mail.refuse(email, 452);
      await person().submit('/signup', { name: 'Ada Sample', email });
      let rows: Record<string, unknown>[] = [];
      while (rows.length === 0) rows = await postgres.query('select * from outbox where recipient = $1', [email]);
      mail.refuse(email, undefined);
      const secret = linkIn(await mail.next(email, 30_000), '/verify/')
        .split('#')
        .at(-1);
      const all = JSON.stringify([
        rows,
        await postgres.query('select * from accounts'),
        await postgres.query('select * from account_links'),
      ]);
      for (const text of [secret, PASSWORD, 'Open the link']) expect(all).not.toContain(text);
      expect(all).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    },
    60_000,
  );

  describe('if the store is unavailable', () => {
    let someone: Member;
    beforeAll(async () => {
      someone = await member();
      wayToStore.lead(NOWHERE);
    });
    afterAll(() => wayToStore.lead(running().redis.url));

    test('a page says so and nothing is changed', async () => {
      const { email, who } = someone;
      const pages = [
        await person(b, who.cookie).get('/account'),
        await logIn(person(b), email),
        await person(b).submit('/reset', { email }),
      ];
      expect(pages.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect(pages[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
      wayToStore.lead(running().redis.url);
      await eventually(
        () => logIn(person(b), email),
        ({ status }) => status === 303,
      );
      wayToStore.lead(NOWHERE);
    }, 60_000);

    test('a token of the other environment, or with a wrong checksum, is a 401 without a store lookup', async () => {
      const owner = { accountId: 'acc_demo', applicationId: 'app_demo' };
      const own = mintToken(owner, 'sandbox');
      const search = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${b.baseUrl}${locationsPath('BOS')}`, { headers })).status;
      };
      expect(await search(own)).toBe(503);
      expect(await search(mintToken(owner, 'production'))).toBe(401);
      expect(await search(`${own.slice(0, -1)}${own.endsWith('0') ? '1' : '0'}`)).toBe(401);
    });
  });

  test('if the database is unavailable, a page says so', async () => {
    const { email } = await member();
    wayToDatabase.lead(NOWHERE);
    const answer = await person(b).submit('/signup', { name: 'Ada Sample', email: 'late@sessions.example' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    wayToDatabase.lead(postgres.url);
    await eventually(
      () => logIn(person(b), email),
      ({ status }) => status === 303,
    );
    expect(b.child.output()).not.toContain('late@sessions.example');
  }, 60_000);

  describe('gw accounts', () => {
    const accounts = (...args: string[]) => {
      const result = gwInThread(['accounts', ...args], {
        DATA_DIR: dataFolder,
        PUBLIC_URL: 'https://cars.example.com/',
        ...running().options.env,
      });
      return { status: result.status, stdout: result.stdout.trim(), stderr: result.stderr.trim() };
    };
    const audit = (id: string) =>
      postgres.query('select actor, action, after from audit_events where subject = $1 order by id', [id]);

    test('create-ops prints a link that sets the password once; then the person is an operator', async () => {
      const { status, stdout } = accounts('create-ops', 'Ops@Sessions.example', '--name', 'Grace Sample');
      expect([status, stdout]).toEqual([
        0,
        expect.stringMatching(/^https:\/\/cars\.example\.com\/reset\/link#[\w-]{43}$/),
      ]);
      const who = person();
      expect((await logIn(who, 'ops@sessions.example', '')).status).toBe(400);
      expect((await who.follow(pathOf(stdout), { new_password: PASSWORD })).location).toBe(
        '/login?notice=password_set',
      );
      expect((await who.follow(pathOf(stdout), { new_password: OTHER })).status).toBe(410);
      await logIn(who, 'ops@sessions.example');
      expect((await who.get('/account')).text).toContain('(operator)');
      const [row] = await postgres.query("select id from accounts where email = 'ops@sessions.example'");
      expect(await audit(String(row?.id))).toMatchObject([
        { actor: 'ops', action: 'account_created' },
        { action: 'password_reset' },
      ]);
      expect(accounts('list').stdout).toContain(['ops@sessions.example', 'Grace Sample', 'ops', 'active'].join('\t'));
    });

    test('promote and demote take effect with the next request and are audited', async () => {
      const { email, id, who } = await newcomer();
      const isOps = async () => (await who.get('/account')).text.includes('(operator)');
      expect(accounts('promote', email)).toMatchObject({ status: 0, stdout: `${id}: ops` });
      expect(await isOps()).toBe(true);
      expect(accounts('demote', id)).toMatchObject({ status: 0, stdout: `${id}: developer` });
      expect(await isOps()).toBe(false);
      expect(await audit(id)).toEqual([
        { actor: id, action: 'account_activated', after: null },
        { actor: 'ops', action: 'role_changed', after: { role: 'ops' } },
        { actor: 'ops', action: 'role_changed', after: { role: 'developer' } },
      ]);
      expect((await who.get('/account')).text).toContain('An operator changed the role to operator.');
    });

    test('does not promote an account that is not active, because anyone may own its address', async () => {
      await person().submit('/signup', { name: 'Ada Sample', email: 'waiting@sessions.example' });
      expect(accounts('promote', 'waiting@sessions.example')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('is not active'),
      });
    });

    test.each([
      [['create-ops', 'ops@sessions.example'], /already has an account/],
      [['create-ops', 'ops'], /not a valid email address/],
      [['promote', 'nobody@sessions.example'], /no account found/],
      [['demote', 'acc_nobody'], /no account found/],
    ])('rejects %j with exit code 2', (words, message) => {
      const { status, stdout, stderr } = accounts(...words);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(message);
    });
  });

  describe('a session that ends while a request with it is under way', () => {
    claim.each<[string, () => Readonly<Record<string, string>>]>([
      ['/confirm', () => ({ password: PASSWORD })],
      ['/account/name', () => ({ name: 'Eve Sample', name_password: PASSWORD })],
      ['/account/password', () => ({ password: PASSWORD, new_password: OTHER })],
    ])(
      ['portal', 'V7.2'],
      'A form whose body is withheld until its session is revoked changes nothing and leads to the login.',
      'POST %s',
      async (path, fields) => {
        const { who, email, id } = await member();
        const body = new URLSearchParams(fields()).toString();
        const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
        const headers = { ...form, cookie: String(who.cookie) };
        const held = holdRequest(a.baseUrl, path, headers, body);
        await wait(GUARDED_MS);
        const elsewhere = person();
        await logIn(elsewhere, email);
        await elsewhere.submit('/logout/everywhere');
        // The guard refuses without the body, so it had admitted the held request.
        const late = await holdRequest(a.baseUrl, path, headers, body).refused();
        expect([late.status, held.isAnswered()]).toEqual([303, false]);
        const answer = await held.finish();
        expect([answer.status, answer.headers.location, answer.headers['set-cookie']]).toEqual([
          303,
          expect.stringMatching(/^\/login/),
          undefined,
        ]);
        const [row] = await postgres.query('select name from accounts where id = $1', [id]);
        expect(row?.name).toBe('Ada Sample');
        expect((await logIn(person(), email)).location).toBe('/');
      },
    );

    test('a form whose body is withheld changes the name if nothing was revoked', async () => {
      const { who, id } = await member();
      const body = new URLSearchParams({ name: 'Eve Sample', name_password: PASSWORD }).toString();
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
      const held = holdRequest(a.baseUrl, '/account/name', { ...form, cookie: String(who.cookie) }, body);
      await wait(GUARDED_MS);
      expect((await held.finish()).headers.location).toBe('/account?notice=name_changed');
      expect(await postgres.query('select name from accounts where id = $1', [id])).toEqual([{ name: 'Eve Sample' }]);
    });

    claim.each<[string, () => Readonly<Record<string, string>>]>([
      ['/account/name', () => ({ name: 'Eve Sample', name_password: PASSWORD })],
      ['/account/password', () => ({ password: PASSWORD, new_password: OTHER })],
    ])(
      ['portal', 'V7.2'],
      'A change of name or password that was admitted before its session was revoked changes nothing after it.',
      'POST %s',
      async (path, fields) => {
        const { who, email, id } = await member();
        const answer = await revokedMeanwhile(id, () => who.submit(path, fields()));
        expect(answer.location).toMatch(/^\/login/);
        const [row] = await postgres.query('select name from accounts where id = $1', [id]);
        expect(row?.name).toBe('Ada Sample');
        expect((await logIn(person(), email)).location).toBe('/');
      },
    );

    claim.each([
      ['description', { name: 'Renamed', description: 'x' }],
      ['suspend', {}],
      ['delete', { name: 'Shop' }],
      ['secrets', { overlap: 'day' }],
      ['secrets/:secret/revoke', {}],
      ['subscriptions', {}],
      ['production-access', { message: 'We go live.' }],
    ])(
      ['portal', 'V7.2'],
      'A form about an application or secret that was admitted before its session was revoked changes nothing after it.',
      'POST /applications/…/%s',
      async (path, fields) => {
        const { who, id } = await member();
        await who.submit('/applications', { name: 'Shop', description: '' });
        const [row] = await postgres.query(
          'select a.id, s.id as secret from applications a join client_secrets s on s.application_id = a.id where account_id = $1 and a.name = $2',
          [id, 'Shop'],
        );
        const newest = () => postgres.query('select max(id) as id from audit_events');
        const before = await newest();
        const url = `/applications/${row?.id}/${path.replace(':secret', String(row?.secret))}`;
        const answer = await revokedMeanwhile(id, () => who.submit(url, fields));
        expect(answer.location).toMatch(/^\/login/);
        expect(await newest()).toEqual(before);
      },
    );

    claim.each(['codes', 'off'])(
      ['portal', 'V7.2'],
      'A change of two-factor authentication that was admitted before its session was revoked changes nothing after it.',
      'POST /account/two-factor/%s',
      async (path) => {
        const { who, id } = await member();
        const page = await who.get('/account/two-factor');
        const secret = (/class="key">([^<]+)</.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
        const code = () => new TOTP({ secret }).generate();
        await who.fill(page, '/account/two-factor', { code: code() });
        await postgres.query('update second_factors set last_step = 0 where account_id = $1', [id]);
        const factor = () => postgres.query('select recovery_codes from second_factors where account_id = $1', [id]);
        const before = await factor();
        expect(before).toHaveLength(1);
        const answer = await revokedMeanwhile(id, () => who.submit(`/account/two-factor/${path}`, { code: code() }));
        expect(answer.location).toMatch(/^\/login/);
        expect(await factor()).toEqual(before);
      },
    );

    /** Revokes the sessions of an account while `send` waits for its row. */
    async function revokedMeanwhile<T>(id: string, send: () => Promise<T>): Promise<T> {
      const revocation = new pg.Client({ connectionString: postgres.url });
      await revocation.connect();
      await revocation.query('begin');
      await revocation.query('update accounts set sessions_generation = sessions_generation + 1 where id = $1', [id]);
      const answer = send();
      const waiting =
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like '%accounts%'";
      await eventually(
        () => postgres.query(waiting),
        ({ length }) => length === 1,
      );
      await revocation.query('commit');
      await revocation.end();
      return await answer;
    }

    claim(
      ['portal', 'V7.2'],
      'Only one of several concurrent confirmations with one session gets a new session; the others lead to the login.',
      async () => {
        const { who } = await member();
        const racers = Array.from({ length: 5 }, () => person(a, who.cookie));
        const answers = await Promise.all(racers.map((racer) => racer.submit('/confirm', { password: PASSWORD })));
        expect(
          answers.filter(({ headers }) => headers.get('set-cookie')?.includes('Max-Age=0') === false),
        ).toHaveLength(1);
        const locations = answers.map(({ location }) => location).sort();
        expect(locations).toEqual(['/', ...Array.from({ length: 4 }, () => '/login?notice=session_over')]);
      },
    );
  });
});

import { randomBytes } from 'node:crypto';
import { TOTP } from 'otpauth';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.js';
import { type PageAnswer, PortalPerson } from '../support/portal-person.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const PASSWORD = 'three quiet herons';
const OTHER = 'nine loud magpies';
const PATH = '/account/two-factor';
const STEP_MS = 30_000;
const SECRET = randomBytes(32).toString('base64');

describeWith('initdb')('two-factor authentication, in production', () => {
  let postgres: TestDatabase;
  let mail: MailServer;
  let gateway: Gateway;
  const env = () => ({
    DATABASE_URL: postgres.url,
    FORECOURT_SECRET: SECRET,
    FORECOURT_ENV: 'production',
    SMTP_URL: mail.url,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  beforeAll(async () => {
    [postgres, mail] = await Promise.all([freshDatabase(), startMailServer()]);
    const real = { name: 'Real Rent', adapter: 'ota-xml', order: 1, url: 'http://127.0.0.1:9/', brands: ['Real'] };
    gateway = await startGateway({
      env: env(),
      config: { suppliers: { real: { ...real, environments: ['production'] } } },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await Promise.all([postgres.dispose(), mail.stop()]);
  });

  let people = 0;
  const person = (cookie?: string): PortalPerson => {
    people += 1;
    const who = new PortalPerson(gateway.baseUrl, { 'x-forwarded-for': `10.4.0.${people}` });
    who.cookie = cookie;
    return who;
  };
  const logIn = (who: PortalPerson, email: string, next = '/account') =>
    who.submit('/login', { email, password: PASSWORD, next });
  const isIn = async (who: PortalPerson) => (await who.get('/account')).status === 200;
  const accounts = (...words: string[]) => gwInThread(['accounts', ...words], env());

  /** The account of a person who signed up. */
  async function newcomer(): Promise<string> {
    const who = person();
    const email = `member-${people}@example.com`;
    await who.submit('/signup', { name: 'Ada Sample', email });
    await who.follow(linkIn(await mail.next(email), '/verify/'), { new_password: PASSWORD });
    const [row] = await postgres.query('select id from accounts where email = $1', [email]);
    return String(row?.id);
  }

  let model: Promise<string> | undefined;
  /** Someone who is logged in, with a copy of one account, including its password. */
  async function member(): Promise<{ who: PortalPerson; email: string }> {
    model ??= newcomer();
    const id = await model;
    const who = person();
    const email = `member-${people}@example.com`;
    await postgres.query(
      `insert into accounts (id, environment, name, tier, email, verified_at, role, password_hash)
       select $1, environment, name, tier, $2, verified_at, role, password_hash from accounts where id = $3`,
      [`acc_member${people}`, email, id],
    );
    await logIn(who, email);
    return { who, email };
  }

  /** The code that an app shows `steps` steps from now. A code is accepted one step early or late. */
  const codeOf = (secret: string, steps = 0) =>
    new TOTP({ secret, digits: 6, period: 30 }).generate({ timestamp: Date.now() + steps * STEP_MS });
  const secretIn = ({ text }: PageAnswer) => (/class="key">([^<]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '');
  const recoveryCodesIn = ({ text }: PageAnswer) =>
    [...text.matchAll(/<code>([a-z2-9]{5}-[a-z2-9]{5})<\/code>/g)].map(([, code = '']) => code);
  /** Forgets which codes were used, so that a test needn't wait for the next ones. */
  const forgetCodes = () => postgres.query('update second_factors set last_step = 0');

  /** A member with a second factor, logged in. */
  async function enrolled() {
    const { who, email } = await member();
    const page = await who.get(PATH);
    const secret = secretIn(page);
    const done = await who.fill(page, PATH, { code: codeOf(secret) });
    await mail.next(email);
    await forgetCodes();
    return { who, email, secret, recoveryCodes: recoveryCodesIn(done) };
  }

  /** A person who has entered the password and is asked for the code. */
  async function waiting(email: string): Promise<PortalPerson> {
    const who = person();
    expect((await logIn(who, email)).location).toBe('/login/code?next=%2Faccount');
    return who;
  }

  const enter = async (who: PortalPerson, code: string) => who.submit('/login/code', { code, next: '/account' });

  test('setting it up shows the secret as QR code and text, wants a first code, ends other sessions and shows recovery codes', async () => {
    const { who, email } = await member();
    const elsewhere = person();
    await logIn(elsewhere, email);
    const page = await who.get(PATH);
    const secret = secretIn(page);
    expect(page.text).toMatch(/<svg class="qr".*<path d="M/s);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    for (const code of ['000000', '', 'abcdef', '🐢🐢🐢', codeOf(secret, 5)]) {
      const refused = await who.fill(page, PATH, { code });
      expect([refused.status, secretIn(refused)]).toEqual([400, secret]);
    }
    // The secret of another person's page isn't accepted in its place.
    const other = await member();
    const foreign = /name="offer" value="([^"]+)"/.exec((await other.who.get(PATH)).text)?.[1] ?? '';
    expect((await who.submit(PATH, { offer: foreign, code: codeOf(secret) })).status).toBe(400);

    const done = await who.fill(page, PATH, { code: codeOf(secret) });
    expect([done.status, recoveryCodesIn(done).length]).toEqual([200, 10]);
    expect((await mail.next(email)).subject).toBe('Two-factor authentication is on');
    expect([await isIn(who), await isIn(elsewhere)]).toEqual([true, false]);
    expect((await who.get('/account')).text).toContain('You turned on two-factor authentication.');
    expect((await who.submit(PATH, { offer: foreign, code: codeOf(secret) })).location).toBe(PATH);
    const stored = JSON.stringify(await postgres.query('select * from second_factors'));
    for (const text of [
      secret,
      ...recoveryCodesIn(done),
      ...recoveryCodesIn(done).map((code) => code.replace('-', '')),
    ])
      expect(stored).not.toContain(text);
  });

  claim(
    ['portal', 'V6.3.1'],
    'With a second factor, the right password opens no page: only a code does, and each code works once, also of concurrent uses.',
    async () => {
      const { email, secret } = await enrolled();
      const who = await waiting(email);
      const halfOpen = who.cookie;
      expect([await isIn(who), (await who.get('/applications')).location]).toEqual([
        false,
        '/login?next=%2Fapplications',
      ]);
      for (const path of ['/confirm', '/account/password', PATH])
        expect((await who.submit(path, { password: PASSWORD, new_password: OTHER })).location).toMatch(/^\/login/);
      for (const code of ['000000', codeOf(secret, 5), codeOf(secret, -5), 'aaaaa-aaaaa'])
        expect((await enter(who, code)).status).toBe(400);
      const code = codeOf(secret);
      expect(await enter(who, code)).toMatchObject({ status: 303, location: '/account' });
      expect(who.cookie).not.toBe(halfOpen);
      expect(await isIn(who)).toBe(true);
      // The session that waited is gone, and so is the code.
      const again = person();
      again.cookie = halfOpen;
      expect((await enter(again, codeOf(secret, 1))).location).toBe('/login?notice=session_over');
      expect((await enter(await waiting(email), code)).text).toContain('This code was already used');

      await forgetCodes();
      const racers = await Promise.all(Array.from({ length: 5 }, () => waiting(email)));
      const shared = codeOf(secret);
      const answers = await Promise.all(racers.map((racer) => enter(racer, shared)));
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    },
  );

  test('a recovery code logs in once, its owner is notified, and new codes replace the rest', async () => {
    const { email, secret, recoveryCodes } = await enrolled();
    const [first = '', second = '', third = ''] = recoveryCodes;
    const who = await waiting(email);
    expect((await enter(who, ` ${first.toUpperCase().replace('-', ' ')} `)).status).toBe(303);
    const letter = await mail.next(email);
    expect([letter.subject, letter.text.includes('You have 9 codes left')]).toEqual(['A recovery code was used', true]);
    expect((await who.get(PATH)).text).toContain('9 recovery codes are left.');
    const racers = await Promise.all([await waiting(email), await waiting(email)]);
    const answers = await Promise.all(racers.map((racer) => enter(racer, second)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect((await enter(await waiting(email), first)).status).toBe(400);

    const fresh = await who.fill(await who.get(PATH), `${PATH}/codes`, { code: codeOf(secret) });
    expect(recoveryCodesIn(fresh)).toHaveLength(10);
    expect((await enter(await waiting(email), third)).status).toBe(400);
    expect((await enter(await waiting(email), recoveryCodesIn(fresh)[9] ?? '')).status).toBe(303);
  });

  claim(
    ['portal', 'V6.1.1'],
    'Ten codes per account can be tried in one burst, whatever the network, and then one per five minutes.',
    async () => {
      const { email, secret } = await enrolled();
      // Setting it up took one attempt.
      const statuses = [];
      for (let guess = 0; guess < 10; guess += 1) statuses.push((await enter(await waiting(email), '123123')).status);
      expect(statuses).toEqual([...Array.from({ length: 9 }, () => 400), 429]);
      const refused = await enter(await waiting(email), codeOf(secret));
      expect([refused.status, Number(refused.headers.get('retry-after')) > 200]).toEqual([429, true]);
      // Others are not affected.
      const other = await enrolled();
      expect((await enter(await waiting(other.email), codeOf(other.secret))).status).toBe(303);
    },
  );

  test('a changed password ends the wait for a code', async () => {
    const { who, email, secret } = await enrolled();
    const late = await waiting(email);
    await who.submit('/account/password', { password: PASSWORD, new_password: OTHER });
    expect((await enter(late, codeOf(secret))).location).toBe('/login?notice=session_over');
    expect((await late.get('/login/code')).location).toBe('/login?notice=session_over');
    // Resetting the password doesn't get around the code either.
    await person().submit('/reset', { email });
    await mail.next(email);
    const reset = person();
    await reset.follow(linkIn(await mail.next(email), '/reset/'), { new_password: PASSWORD });
    expect([(await logIn(reset, email)).location, await isIn(reset)]).toEqual(['/login/code?next=%2Faccount', false]);
  });

  test('turning it off needs a code and a recently entered password, and is announced by email', async () => {
    const { who, email, secret } = await enrolled();
    const page = await who.get(PATH);
    expect((await who.fill(page, `${PATH}/off`, { code: '123123' })).status).toBe(400);
    expect((await logIn(person(), email)).location).toContain('/login/code');
    expect((await who.fill(page, `${PATH}/off`, { code: codeOf(secret) })).location).toBe('/account?notice=factor_off');
    expect((await mail.next(email)).subject).toBe('Two-factor authentication is off');
    expect((await logIn(person(), email)).location).toBe('/account');
  });

  test('of concurrent set-ups with one session, one turns it on, and the others lead to the login', async () => {
    const { who } = await member();
    const page = await who.get(PATH);
    const code = codeOf(secretIn(page));
    const racers = Array.from({ length: 3 }, () => person(who.cookie));
    const answers = await Promise.all(racers.map((racer) => racer.fill(page, PATH, { code })));
    const ends = answers.map(({ status, location }) => location ?? String(status)).sort();
    expect(ends).toEqual(['/login?notice=session_over', '/login?notice=session_over', '200']);
  });

  claim(
    ['portal', 'environments'],
    "An operator of production without a second factor can't open or use the operator pages, only set one up.",
    async () => {
      const link = accounts('create-ops', 'ops@example.com', '--name', 'Grace Sample').stdout.trim();
      const who = person();
      await who.follow(link, { new_password: PASSWORD });
      await mail.next('ops@example.com');
      expect((await logIn(who, 'ops@example.com')).location).toBe('/account');
      const led = await who.get('/ops/access-requests');
      expect(led.location).toBe(`${PATH}?notice=factor_needed&next=%2Fops%2Faccess-requests`);
      const decided = await who.submit('/ops/access-requests/lau_1', { decision: 'approve', reason: '' });
      expect(decided.location).toBe(`${PATH}?notice=factor_needed`);
      const page = await who.get(led.location ?? '');
      expect(page.text).toContain('Operators need two-factor authentication');
      const done = await who.fill(page, PATH, { code: codeOf(secretIn(page)) });
      expect(done.text).toContain('href="/ops"');
      expect((await who.get('/ops/access-requests')).status).toBe(200);
      // A lost device: the command turns it off, and the pages are closed again.
      const { status, stdout, stderr } = accounts('reset-factor', 'Ops@example.com');
      expect([status, stdout.endsWith(': two-factor authentication is off\n')]).toEqual([0, true]);
      expect(stderr).toContain('must set it up again');
      expect((await who.get('/ops/access-requests')).location).toContain(PATH);
      expect((await who.get('/account')).text).toContain('An operator turned off two-factor authentication.');
      expect(accounts('reset-factor', 'ops@example.com')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('has no second factor'),
      });
    },
  );

  test('a new encryption key covers the secrets of second factors', async () => {
    const { email, secret } = await enrolled();
    const CLIENT_SECRET_KEYS = `1:${Buffer.alloc(32, 7).toString('base64')}`;
    const { stdout } = gwInThread(['keys', 'rotate'], { ...env(), CLIENT_SECRET_KEYS });
    expect(stdout).toMatch(/, [1-9]\d* second factors,/);
    const rows = await postgres.query("select 1 from second_factors where sealed not like '1%'");
    expect(rows).toEqual([]);
    // The gateway doesn't have the key, so it can't check codes: no login succeeds without one. Another gateway may have it.
    const refused = await enter(await waiting(email), codeOf(secret));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    expect(
      await eventually(
        async () => gateway.child.output(),
        (log) => log.includes('"keyVersion":"1p"'),
      ),
    ).toMatch(/"level":50.*"variable":"CLIENT_SECRET_KEYS","keyVersion":"1p"/);
  });
});

import { TOTP } from 'otpauth';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';
import { linkIn } from '../support/mail-server.js';
import { passwordHash } from '../support/password-hash.js';
import { type PageAnswer, PortalPerson } from '../support/portal-person.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';
import type { Gateway } from '../support/start-gateway.js';

const PASSWORD = 'three quiet herons';
const OTHER = 'nine loud magpies';
const PATH = '/account/two-factor';
const STEP_MS = 30_000;

describeWith('redis-server', 'initdb')('two-factor authentication', () => {
  const running = sharedGateway();
  let postgres: SharedGateway['postgres'];
  let mail: SharedGateway['mail'];
  let gateway: Gateway;
  beforeAll(() => {
    ({ postgres, mail, gateway } = running());
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

  const password_hash = passwordHash(PASSWORD);
  /** Someone who is logged in. */
  async function member(): Promise<{ who: PortalPerson; email: string }> {
    const who = person();
    const email = `member-${people}@factors.example`;
    await postgres.query(
      `insert into accounts (id, environment, name, tier, email, verified_at, role, password_hash)
       values ($1, 'sandbox', 'Ada Sample', 'standard', $2, now(), 'developer', $3)`,
      [`acc_factor${people}`, email, password_hash],
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
  const forgetCodes = () =>
    postgres.query("update second_factors set last_step = 0 where account_id like 'acc_factor%'");

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
    "With a second factor, the right password doesn't open a page: only a code does, and each code works once, even with concurrent uses.",
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
});

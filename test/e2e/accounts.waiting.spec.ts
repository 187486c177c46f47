import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';
import { linkIn } from '../support/mail-server.js';
import { plainRequest } from '../support/plain-request.js';
import { PortalPerson } from '../support/portal-person.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';

const PASSWORD = 'three quiet herons';
const OTHER = 'nine loud magpies';

let count = 0;
/** An address that is unique to the test. */
const newEmail = (): string => `person-${++count}@accounts.example`;

describeWith('redis-server', 'initdb')('accounts (spec §1.1)', () => {
  const running = sharedGateway();
  let mail: SharedGateway['mail'];
  beforeAll(() => {
    mail = running().mail;
  });
  let people = 0;
  /** Each from a different address: address limits have their own tests. */
  const person = () => {
    people += 1;
    return new PortalPerson(running().gateway.baseUrl, { 'x-forwarded-for': `10.0.${people >> 8}.${people & 255}` });
  };
  const signUp = (email: string, name = 'Ada Sample') => person().submit('/signup', { name, email });
  const activate = (who: PortalPerson, link: string, password = PASSWORD) =>
    who.follow(link, { new_password: password });
  const logIn = (who: PortalPerson, email: string, password = PASSWORD, next?: string) =>
    who.submit('/login', { email, password, ...(next === undefined ? {} : { next }) });

  /** A logged-in person with a unique address and name. */
  async function member(name?: string): Promise<{ who: PortalPerson; email: string }> {
    const email = newEmail();
    await signUp(email, name);
    const who = person();
    await activate(who, linkIn(await mail.next(email), '/verify/'));
    expect((await logIn(who, email)).status).toBe(303);
    return { who, email };
  }

  async function resetLink(email: string): Promise<string> {
    await person().submit('/reset', { email });
    return linkIn(await mail.next(email), '/reset/');
  }

  describe('sign-up and verification', () => {
    test('sign-up, email, a password and login create an account', async () => {
      const email = newEmail();
      expect(await signUp(` ${email.toUpperCase()} `)).toMatchObject({ status: 303, location: '/sent?about=signup' });
      const letter = await mail.next(email);
      expect(letter).toMatchObject({ from: 'no-reply@localhost', subject: 'Activate your Forecourt account' });
      expect(letter.html).toContain(linkIn(letter, '/verify/'));
      const who = person();
      expect((await who.get(linkIn(letter, '/verify/'))).text).toContain('Activate account');
      expect(
        await who.follow(linkIn(letter, '/verify/'), { name: 'Ada B. Sample', new_password: PASSWORD }),
      ).toMatchObject({
        status: 303,
        location: '/',
      });
      const home = await who.get('/');
      expect(home.text).toMatch(/First application.*client_[0-9a-f]{20}.*fcs_.*Shown here once/s);
      expect((await who.get('/')).text).not.toContain('fcs_');
      expect(await logIn(who, email)).toMatchObject({ status: 303, location: '/' });
      expect((await who.get('/account')).text).toMatch(new RegExp(`Ada B. Sample.*${email}`, 's'));
    });

    test('a rejected password does not use up the link', async () => {
      const email = newEmail();
      await signUp(email);
      const link = linkIn(await mail.next(email), '/verify/');
      for (const [password, why] of [
        ['too short', 'at least 12'],
        ['Password12345!', 'too easy to guess'],
        [email.split('@')[0] ?? '', 'Use'],
      ] as const) {
        const refused = await activate(person(), link, password);
        expect([refused.status, refused.text.includes(why)]).toEqual([400, true]);
        expect(refused.text).not.toContain(`value="${password}"`);
      }
      expect((await activate(person(), link)).status).toBe(303);
    });

    claim(
      ['portal', 'V6.4.3'],
      "A scanner that opens the link of a sign-up email activates nothing and doesn't use the link up.",
      async () => {
        const email = newEmail();
        await signUp(email);
        const link = linkIn(await mail.next(email), '/verify/');
        for (let visit = 0; visit < 3; visit += 1) expect((await person().get(link)).status).toBe(200);
        expect((await logIn(person(), email)).status).toBe(400);
        expect((await activate(person(), link)).location).toBe('/');
        expect((await logIn(person(), email)).status).toBe(303);
      },
    );

    test('a used link says so and offers a new one; an unknown link says so', async () => {
      const email = newEmail();
      await signUp(email);
      const link = linkIn(await mail.next(email), '/verify/');
      const page = await person().get(link);
      await activate(person(), link);
      const late = await person().fill(page, '/verify', { new_password: OTHER });
      for (const answer of [await person().get(link), late]) {
        expect(answer.status).toBe(410);
        expect(answer.text).toContain('already used');
        expect(answer.text).toContain('action="/resend"');
      }
      const unknown = await person().get(`/verify/link#${'x'.repeat(43)}`);
      expect([unknown.status, unknown.text.includes('This link is invalid')]).toEqual([404, true]);
    });

    claim(['portal', 'V6.4.3'], 'Only one of many concurrent uses of one link succeeds.', async () => {
      const email = newEmail();
      await signUp(email);
      const link = linkIn(await mail.next(email), '/verify/');
      const answers = await Promise.all(Array.from({ length: 8 }, () => activate(person(), link)));
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    });

    test('sends the link again on request; both links work until one is used', async () => {
      const email = newEmail();
      await signUp(email);
      const first = linkIn(await mail.next(email), '/verify/');
      expect(await person().submit('/resend', { email })).toMatchObject({
        status: 303,
        location: '/sent?about=verify',
      });
      const second = linkIn(await mail.next(email), '/verify/');
      expect(second).not.toBe(first);
      expect((await activate(person(), second)).status).toBe(303);
      expect((await activate(person(), first)).status).toBe(410);
    });

    test('before verification, a login gets the answer of an unknown address, and a reset leads to the activation', async () => {
      const email = newEmail();
      await signUp(email);
      await mail.next(email);
      const inactive = await logIn(person(), email);
      const unknown = await logIn(person(), 'nobody@example.com');
      expect([inactive.status, unknown.status]).toEqual([400, 400]);
      expect(inactive.text.replaceAll(email, 'E')).toBe(unknown.text.replaceAll('nobody@example.com', 'E'));
      await person().submit('/reset', { email });
      expect((await activate(person(), linkIn(await mail.next(email), '/verify/'))).status).toBe(303);
      expect((await logIn(person(), email)).status).toBe(303);
    });
  });

  describe('an address that is taken', () => {
    claim(
      ['portal', 'V6.3.8'],
      'A sign-up with the address of an existing account shows the same page as any other, changes nothing, and notifies the owner by email.',
      async () => {
        const { email } = await member('Ada Sample');
        const again = await signUp(email, 'Mallory Sample');
        const fresh = await signUp(newEmail());
        expect([again.status, again.location, again.text]).toEqual([fresh.status, fresh.location, fresh.text]);
        const letter = await mail.next(email);
        expect(letter.subject).toBe('You already have a Forecourt account');
        expect(letter.text).toContain('Hello Ada Sample,');
        expect(letter.text).not.toContain('Mallory');
        expect([new URL(linkIn(letter, '/login')).pathname, new URL(linkIn(letter, '/reset')).pathname]).toEqual([
          '/login',
          '/reset',
        ]);
        expect((await logIn(person(), email, OTHER)).status).toBe(400);
        expect((await logIn(person(), email)).status).toBe(303);
      },
    );

    claim(
      ['portal', 'V6.2'],
      'A password is set only behind the emailed link: one sent with a sign-up is ignored, so no one else can prepare an account for the owner of an address.',
      async () => {
        const email = newEmail();
        await person().submit('/signup', {
          name: 'Mallory Sample',
          email,
          password: 'chosen by an attacker',
          new_password: 'chosen by an attacker',
        });
        await mail.next(email);
        await signUp(email);
        expect((await logIn(person(), email, 'chosen by an attacker')).status).toBe(400);
        await activate(person(), linkIn(await mail.next(email), '/verify/'));
        expect((await logIn(person(), email, 'chosen by an attacker')).status).toBe(400);
        expect((await logIn(person(), email)).status).toBe(303);
      },
    );
  });

  describe('password reset', () => {
    test('a link sets a new password, ends all sessions and all other links, and notifies the owner', async () => {
      const { who, email } = await member();
      const other = await resetLink(email);
      const link = await resetLink(email);
      expect((await person().get(link)).text).toContain(email);
      expect((await person().follow(link, { new_password: OTHER })).location).toBe('/login?notice=password_set');
      expect((await mail.next(email)).subject).toBe('Your Forecourt password was reset');
      expect((await who.get('/account')).location).toBe('/login?next=%2Faccount');
      for (const dead of [link, other])
        expect((await person().follow(dead, { new_password: PASSWORD })).status).toBe(410);
      expect((await logIn(person(), email)).status).toBe(400);
      expect((await logIn(who, email, OTHER)).status).toBe(303);
      expect((await who.get('/account')).text).toContain('You reset the password with an emailed link.');
    });

    claim(
      ['portal', 'V8.3.2'],
      'A password reset revokes all client secrets and tokens of the account on request, and only then; the email says which.',
      async () => {
        const { who, email } = await member();
        const { text } = await who.submit('/applications', { name: 'Shop', description: '' });
        const [, client_id = ''] = /id="client-id">([^<]+)</.exec(text) ?? [];
        const [, client_secret = ''] = /id="client-secret">([^<]+)</.exec(text) ?? [];
        const { baseUrl } = running().gateway;
        const mint = () => fetch(`${baseUrl}/oauth/token/v1`, { headers: { client_id, client_secret } });
        const { access_token } = (await (await mint()).json()) as { access_token: string };
        const search = async () => {
          const headers = { authorization: `Bearer ${access_token}` };
          return (await fetch(`${baseUrl}/cars/locations/v1/?keyword=boston`, { headers })).status;
        };
        // 403: the token is valid, but the application has no subscription.
        expect([(await mint()).status, await search()]).toEqual([200, 403]);

        await person().follow(await resetLink(email), { new_password: OTHER });
        expect((await mail.next(email)).text).toContain('still work');
        expect([(await mint()).status, await search()]).toEqual([200, 403]);

        const link = await resetLink(email);
        const refused = await person().follow(link, { new_password: 'too short', revoke: 'yes' });
        expect(refused.text).toMatch(/name="revoke"[^>]* checked/);
        expect([(await mint()).status, await search()]).toEqual([200, 403]);
        const done = await person().follow(link, { new_password: PASSWORD, revoke: 'yes' });
        expect(done.location).toBe('/login?notice=password_set_revoked');
        expect((await mail.next(email)).text).toContain(
          'All client secrets and access tokens of your applications were revoked',
        );
        expect([(await mint()).status, await search()]).toEqual([401, 401]);
        await logIn(who, email);
        expect((await who.get('/account')).text).toContain('You revoked a secret and its tokens.');
      },
    );

    test('a rejected new password does not use up the link', async () => {
      const { email } = await member();
      const link = await resetLink(email);
      const refused = await person().follow(link, { new_password: 'too short' });
      expect([refused.status, refused.text.includes('at least 12')]).toEqual([400, true]);
      expect((await person().follow(link, { new_password: OTHER })).status).toBe(303);
    });

    claim(
      ['portal', 'V6.3.8'],
      'A password reset for an unknown address shows the same page as for a known one, and sends no email.',
      async () => {
        const { email } = await member();
        const stranger = newEmail();
        const [known, unknown] = [
          await person().submit('/reset', { email }),
          await person().submit('/reset', { email: stranger }),
        ];
        expect([unknown.status, unknown.location, unknown.text]).toEqual([known.status, known.location, known.text]);
        // Emails are sent in order: once a later one has arrived, an earlier one would have arrived.
        await mail.next(email);
        await signUp(newEmail());
        await mail.next(`person-${count}@accounts.example`);
        expect(mail.mails().filter(({ to }) => to === stranger)).toEqual([]);
      },
    );
  });

  describe('the account', () => {
    claim(
      ['portal', 'V6.2'],
      'Name and password change only with the current password, and a new password ends all other sessions.',
      async () => {
        const { who, email } = await member();
        const elsewhere = person();
        await logIn(elsewhere, email);
        expect((await who.submit('/account/name', { name: 'Grace Sample', name_password: OTHER })).text).toContain(
          'The password is incorrect',
        );
        expect((await who.submit('/account/name', { name: 'Grace Sample', name_password: PASSWORD })).location).toBe(
          '/account?notice=name_changed',
        );
        const before = who.cookie;
        expect((await who.submit('/account/password', { password: OTHER, new_password: OTHER })).status).toBe(400);
        expect((await who.submit('/account/password', { password: PASSWORD, new_password: OTHER })).location).toBe(
          '/account?notice=password_changed',
        );
        expect(who.cookie).not.toBe(before);
        const account = (await who.get('/account')).text;
        expect(account).toContain('Grace Sample');
        expect(account).toMatch(/You changed the password.*You changed the name/s);
        expect((await elsewhere.get('/account')).location).toBe('/login?next=%2Faccount');
        const old = person();
        old.cookie = before;
        expect((await old.get('/account')).status).toBe(303);
      },
    );

    test('the page that asks for the password continues only with the right one, under a new session id', async () => {
      const { who } = await member();
      const before = who.cookie;
      const refused = await who.fill(await who.get('/confirm?next=/products%3Fa%3D1%26b%3D2'), '/confirm', {
        password: OTHER,
      });
      expect(refused.text).toContain('The password is incorrect');
      expect((await who.fill(refused, '/confirm', { password: PASSWORD })).location).toBe('/products?a=1&b=2');
      expect(who.cookie).not.toBe(before);
      expect((await who.get('/account')).status).toBe(200);
      const old = person();
      old.cookie = before;
      expect((await old.get('/account')).status).toBe(303);
    });
  });

  describe('user input', () => {
    const HOSTILE = `<script>alert(1)</script>"'><b>`;

    claim(['portal', 'V3.2'], 'Markup in a name is shown as text on pages and in emails.', async () => {
      const { who, email } = await member(HOSTILE);
      const { text } = await who.get('/account');
      expect(text).not.toContain('<script>alert');
      expect(text).toContain('&lt;script>alert(1)&lt;/script>');
      await person().submit('/reset', { email });
      const letter = await mail.next(email);
      expect(letter.text).toContain(HOSTILE);
      expect(letter.html).not.toContain('<script>');
      expect(letter.html).toContain('&lt;script>');
    });

    test('emails to an unverified address contain nothing that the sender typed', async () => {
      const email = newEmail();
      await signUp(email, 'Win at evil.example');
      const letter = await mail.next(email);
      expect(letter.raw).not.toContain('evil.example');
    });

    claim.each([
      ['name', 'Ada\r\nBcc: spy@example.com'],
      ['name', 'Ada\u202egpj.exe'],
      ['name', ' '],
      ['name', 'a'.repeat(81)],
      ['email', 'ada@example.com\r\nBcc: spy@example.com'],
      ['email', 'ada@example.com,spy@example.com'],
      ['email', '"Ada" <ada@example.com>'],
      ['email', 'ada@localhost'],
      ['email', 'ada'],
      ['email', `${'a'.repeat(250)}@example.com`],
    ])('portal', 'A sign-up with an invalid name or email address creates nothing.', '%s %j', async (field, value) => {
      const email = newEmail();
      const refused = await person().submit('/signup', { name: 'Ada Sample', email, [field]: value });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(`id="${field}-problem"`);
      // Emails are sent in order: once a later one has arrived, an earlier one would have arrived.
      await signUp(newEmail());
      await mail.next(`person-${count}@accounts.example`);
      expect(mail.mails().filter(({ to }) => to === email || to.includes('spy'))).toEqual([]);
    });

    test('rejects a body that is not a form or repeats a field', async () => {
      const who = person();
      const twice = await who.submit('/signup', {}, { 'content-type': 'text/plain' });
      expect(twice.status).toBe(400);
      const response = await fetch(new URL('/login', running().gateway.baseUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        body: 'email=a%40example.com&email=b%40example.com&password=x',
      });
      expect(response.status).toBe(400);
    });
  });

  test('returns to the page that led to the login, even after a wrong password', async () => {
    const { email } = await member();
    const who = person();
    const asked = await who.get((await who.get('/usage?period=week')).location ?? '');
    const refused = await who.fill(asked, '/login', { email, password: OTHER });
    expect(refused.status).toBe(400);
    expect((await who.fill(refused, '/login', { email, password: PASSWORD })).location).toBe('/usage?period=week');
  });

  describe('forms from other sites', () => {
    let victim: Awaited<ReturnType<typeof member>>;
    beforeAll(async () => {
      victim = await member();
    });

    claim.each([
      ['another site', { 'sec-fetch-site': 'cross-site' }],
      ['a sibling host of our site', { 'sec-fetch-site': 'same-site' }],
      ['another origin in an older browser', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }],
      ['an opaque origin', { 'sec-fetch-site': undefined, origin: 'null' }],
      ['an unidentified site', { 'sec-fetch-site': undefined, origin: undefined }],
    ])(
      ['portal', 'V3.5.1'],
      'Forms from another site, a sibling host or an unidentified origin are rejected with 403 and change nothing.',
      'from %s',
      async (_from, headers) => {
        const { who, email } = victim;
        for (const path of [
          '/logout',
          '/logout/everywhere',
          '/account/password',
          '/signup',
          '/login',
          '/reset',
          '/resend',
          '/confirm',
        ]) {
          expect((await who.submit(path, { email, password: PASSWORD, new_password: OTHER }, headers)).status).toBe(
            403,
          );
        }
        expect((await who.get('/account')).status).toBe(200);
        expect((await logIn(person(), email)).status).toBe(303);
      },
    );
  });

  describe('the login never redirects', () => {
    let visitor: Awaited<ReturnType<typeof member>>;
    beforeAll(async () => {
      visitor = await member();
    });

    test.each([
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/a\r\nx: y',
    ])('to %j', async (next) => {
      const { who, email } = visitor;
      expect((await who.get(`/login?next=${encodeURIComponent(next)}`)).location).toBe('/');
      expect((await logIn(person(), email, PASSWORD, next)).location).toBe('/');
      expect((await who.submit('/confirm', { password: PASSWORD, next })).location).toBe('/');
    });
  });

  test('links in emails come from the settings, whatever Host a request names', async () => {
    const { email } = await member();
    const { baseUrl } = running().gateway;
    const evil = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-for': '10.9.0.1',
      'sec-fetch-site': 'same-origin',
    };
    const form = { ...evil, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await plainRequest(`${baseUrl}/reset`, form, new URLSearchParams({ email }).toString())).status).toBe(303);
    expect(linkIn(await mail.next(email), '/reset/')).toMatch(new RegExp(`^${running().gateway.baseUrl}/reset/`));
  });

  test('no log line contains the secret of a link, a password or a complete address', async () => {
    const { email } = await member();
    const link = await resetLink(email);
    await person().get(link);
    await person().follow(link, { new_password: OTHER });
    await running().gateway.child.printed('"route":"/reset/password"');
    const log = running().gateway.child.output();
    for (const secret of [new URL(link).hash.slice(1), PASSWORD, OTHER, encodeURIComponent(OTHER), email])
      expect(log).not.toContain(secret);
  });
});

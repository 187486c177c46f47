import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.js';
import { PortalPerson } from '../support/portal-person.js';
import { runGateway } from '../support/run-gateway.js';
import { FORECOURT_SECRET } from '../support/session.js';
import { startGateway } from '../support/start-gateway.js';

let people = 0;
/** Each from an address of its own where a proxy is trusted, so that no limit applies. */
const signUp = (baseUrl: string, email: string) => {
  people += 1;
  const who = new PortalPerson(baseUrl, { 'x-forwarded-for': `10.5.0.${people}` });
  return who.submit('/signup', { name: 'Ada Sample', email });
};

describeWith('initdb')('emails over SMTP', () => {
  let mail: MailServer;
  let postgres: TestDatabase;
  let left: Left;
  beforeAll(async () => {
    [mail, postgres] = await Promise.all([startMailServer(), freshDatabase()]);
    left = await killWhileSending(postgres);
  }, 90_000);
  afterAll(async () => {
    await mail.stop();
    await postgres.dispose();
  });
  const running = runGateway(() => ({
    env: {
      SMTP_URL: mail.url,
      DATABASE_URL: postgres.url,
      FORECOURT_SECRET,
      MAIL_FROM: 'Forecourt <no-reply@example.org>',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  }));

  test('a silent mail server doesn’t delay requests, and is abandoned after some seconds', () => {
    expect(left.signedUp.map(({ status }) => status)).toEqual([303, 303, 303]);
    // The mail server is given 4 s for its greeting.
    for (const { ms } of left.signedUp) expect(ms).toBeLessThan(3_000);
  });

  test('emails that waited when a gateway was killed are sent by the next one, those that it was sending once the lease has expired', async () => {
    expect([left.leased.length, left.waiting.length]).toEqual([2, 1]);
    for (const to of left.waiting) expect(linkIn(await mail.next(to), '/verify/')).toContain('/verify/');
    expect(mail.mails().filter(({ to }) => left.leased.includes(to))).toEqual([]);
    await postgres.query('update outbox set leased_until = now()');
    // Whatever is written wakes the gateway.
    await signUp(running().gateway.baseUrl, 'waker@example.com');
    for (const to of left.leased) expect(linkIn(await mail.next(to), '/verify/')).toContain('/verify/');
  });

  test('an email has one recipient, text and HTML, and says that it is automated', async () => {
    await signUp(running().gateway.baseUrl, 'ada@example.com');
    const letter = await mail.next('ada@example.com');
    expect(letter.raw).toMatch(/^From: Forecourt <no-reply@example\.org>\r$/m);
    expect(letter.raw).toMatch(/^To: ada@example\.com\r$/m);
    expect(letter.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(letter.text).toContain(linkIn(letter, '/verify/'));
    expect(letter.html).toMatch(/^<!doctype html>/);
  });

  test('a mail server that is down doesn’t delay requests; the email is sent once the server is back, exactly once', async () => {
    await mail.stop();
    const answer = await signUp(running().gateway.baseUrl, 'bea@example.com');
    expect([answer.status, answer.location]).toEqual([303, '/sent?about=signup']);
    await running().gateway.child.printed('"outcome":"unreachable"');
    await mail.start();
    await mail.next('bea@example.com', 30_000);
    await signUp(running().gateway.baseUrl, 'after-bea@example.com');
    await mail.next('after-bea@example.com');
    expect(mail.mails().filter(({ to }) => to === 'bea@example.com')).toHaveLength(1);
  }, 60_000);

  const silent = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => `${name}@silent.example`);

  test('emails that the server never answers hold up no others', async () => {
    mail.hold('silent.example');
    for (const email of silent) await signUp(running().gateway.baseUrl, email);
    await signUp(running().gateway.baseUrl, 'dan@example.com');
    await mail.next('dan@example.com', 6_000);
  });

  test('retries a temporarily failing mailbox without delaying others, and gives up on a permanently failing one', async () => {
    mail.refuse('full@example.com', 452);
    mail.refuse('gone@example.com', 550);
    for (const email of ['full@example.com', 'gone@example.com', 'cara@example.com'])
      await signUp(running().gateway.baseUrl, email);
    await mail.next('cara@example.com');
    await running().gateway.child.printed('"outcome":"refused"');
    mail.refuse('full@example.com', undefined);
    mail.refuse('gone@example.com', undefined);
    await mail.next('full@example.com', 30_000);
    expect(mail.mails().filter(({ to }) => to === 'gone@example.com')).toEqual([]);
  }, 60_000);

  test('emails that the server did not answer are sent once it answers', async () => {
    mail.hold('silent.example', false);
    // Those that are being sent are abandoned after some seconds. Then they, and those before, are due sooner than they would be.
    await eventually(
      async () => {
        await postgres.query(
          "update outbox set leased_until = now() where leased_until < now() + interval '30 seconds'",
        );
        await signUp(running().gateway.baseUrl, `after-silent-${people}@example.com`);
        return postgres.query("select recipient from outbox where recipient like '%@silent.example'");
      },
      ({ length }) => length === 0,
      30_000,
    );
    for (const email of silent) expect(mail.mails().filter(({ to }) => to === email)).toHaveLength(1);
  }, 90_000);

  test('there is no outbox page', async () => {
    expect((await new PortalPerson(running().gateway.baseUrl).get('/outbox')).status).toBe(404);
  });

  test('the log contains no complete address', () => {
    expect(running().gateway.child.output()).toContain('"recipient":"g…@example.com"');
    expect(running().gateway.child.output()).not.toMatch(/(bea|full|gone)@example\.com/);
  });

  claim(
    ['portal', 'API4'],
    'While 5,000 emails of sign-ups wait, a sign-up gets 503 with Retry-After and nothing is stored, whether or not the address has an account; owners of accounts still get their emails.',
    async () => {
      const { baseUrl } = running().gateway;
      const person = new PortalPerson(baseUrl);
      await signUp(baseUrl, 'amy@example.com');
      await person.follow(linkIn(await mail.next('amy@example.com'), '/verify/'), {
        new_password: 'three quiet herons',
      });
      const count = async (table: string) =>
        (await postgres.query(`select count(*)::int as count from ${table}`))[0]?.count;
      await postgres.query(`insert into outbox (environment, is_sign_up, leased_until, recipient, subject, text, html)
        select 'sandbox', true, now() + interval '1 hour', 'bot' || n || '@example.com', 'x', 'x', 'x' from generate_series(1, 4999) n`);
      expect((await signUp(baseUrl, 'bob@example.com')).status).toBe(303);
      await mail.next('bob@example.com');
      await postgres.query(`insert into outbox (environment, is_sign_up, leased_until, recipient, subject, text, html)
        select environment, true, leased_until, recipient, subject, text, html from outbox limit 1`);
      const before = await count('accounts');
      for (const email of ['cid@example.com', 'bob@example.com', 'amy@example.com'])
        for (const answer of [
          await signUp(baseUrl, email),
          await new PortalPerson(baseUrl).submit('/resend', { email }),
        ]) {
          expect([email, answer.status, answer.headers.get('retry-after')]).toEqual([email, 503, '600']);
          expect(answer.text).toMatch(/Too many sign-ups are waiting.*Nothing was saved\. Try again in 10 minutes\./);
        }
      expect([await count('accounts'), await count('outbox')]).toEqual([before, 5_000]);
      for (const email of ['bob@example.com', 'amy@example.com'])
        expect((await new PortalPerson(baseUrl).submit('/reset', { email })).location).toBe('/sent?about=reset');
      expect((await mail.next('amy@example.com')).subject).toBe('Reset your Forecourt password');
      // An email that was sent is deleted after it.
      expect(
        await eventually(
          () => count('outbox'),
          (left) => left === 5_000,
        ),
      ).toBe(5_000);
      await postgres.query("delete from outbox where recipient = 'bot1@example.com'");
      expect((await signUp(baseUrl, 'cid@example.com')).status).toBe(303);
      await mail.next('cid@example.com');
    },
    60_000,
  );

  // Last, because it stops the gateway.
  test('a mail server that falls silent does not prevent the gateway from stopping, and the email stays in the outbox', async () => {
    const { gateway } = running();
    await postgres.query('delete from outbox');
    mail.hold('silent.example');
    await signUp(gateway.baseUrl, 'ian@silent.example');
    const due = "select leased_until < now() + interval '61 seconds' as is_soon from outbox";
    const sending = `${due} where recipient = 'ian@silent.example' and leased_until > now()`;
    await eventually(
      () => postgres.query(sending),
      ({ length }) => length === 1,
    );
    const startedAt = performance.now();
    expect(await gateway.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    expect(await postgres.query(due)).toEqual([{ is_soon: true }]);
  }, 60_000);
});

/** What a gateway did that was killed while its mail server was silent. */
interface Left {
  /** Its sign-ups. */
  readonly signedUp: { readonly status: number; readonly ms: number }[];
  /** Whose emails it was sending. */
  readonly leased: string[];
  /** Whose emails waited. */
  readonly waiting: string[];
}

/** A gateway abandons its silent mail server, tries again with more emails, and is killed. */
async function killWhileSending(postgres: TestDatabase): Promise<Left> {
  const sockets = new Set<Socket>();
  // It accepts connections and never answers.
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  try {
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, DATABASE_URL: postgres.url, FORECOURT_SECRET };
    const killed = await startGateway({ env });
    const timed = async (email: string) => {
      const startedAt = performance.now();
      const { status } = await signUp(killed.baseUrl, email);
      return { status, ms: performance.now() - startedAt };
    };
    const signedUp = [await timed('eve@example.com')];
    await killed.child.printed('"code":"ETIMEDOUT"');
    for (const email of ['ida@example.com', 'ivy@example.com']) signedUp.push(await timed(email));
    const recipients = async (condition: string) =>
      (await postgres.query(`select recipient from outbox where ${condition}`)).map(({ recipient }) =>
        String(recipient),
      );
    // Two emails to one domain are sent concurrently. A lease lasts a minute, longer than a pause after a failure.
    const isLeased = "coalesce(leased_until, now()) > now() + interval '30 seconds'";
    await eventually(
      () => recipients(isLeased),
      ({ length }) => length === 2,
    );
    await killed.child.stop('SIGKILL');
    return { signedUp, leased: await recipients(isLeased), waiting: await recipients(`not ${isLeased}`) };
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
}

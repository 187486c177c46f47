import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.js';
import { plainRequest } from '../support/plain-request.js';
import { type PageAnswer, PortalPerson } from '../support/portal-person.js';
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
  /** Three gateways in turn, whose waits pass beside the tests of another one. */
  let turns: Promise<Turns>;
  beforeAll(async () => {
    [mail, postgres] = await Promise.all([startMailServer(), freshDatabase()]);
    turns = playTurns();
    turns.catch(() => undefined);
  });
  afterAll(async () => {
    await turns.catch(() => undefined);
    await mail.stop();
    await postgres.dispose();
  });
  const running = runGateway(() => ({
    env: {
      SMTP_URL: mail.url,
      DATABASE_URL: postgres.url,
      MAIL_FROM: 'Forecourt <no-reply@example.org>',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  }));

  test('an email has one recipient, text and HTML, and says that it is automated', async () => {
    await signUp(running().gateway.baseUrl, 'ada@example.com');
    const letter = await mail.next('ada@example.com');
    expect(letter.raw).toMatch(/^From: Forecourt <no-reply@example\.org>\r$/m);
    expect(letter.raw).toMatch(/^To: ada@example\.com\r$/m);
    expect(letter.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(letter.text).toContain(linkIn(letter, '/verify/'));
    expect(letter.html).toMatch(/^<!doctype html>/);
  });

  test('a mail server that is down delays no request; the email is sent once the server is back, exactly once', async () => {
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
      expect(await count('outbox')).toBe(5_000);
      await postgres.query("delete from outbox where recipient = 'bot1@example.com'");
      expect((await signUp(baseUrl, 'cid@example.com')).status).toBe(303);
      await mail.next('cid@example.com');
    },
    60_000,
  );

  test('a silent mail server delays no request, is abandoned after some seconds, and does not prevent the gateway from stopping', async () => {
    const { signedUp, stopped, stopMs } = await turns;
    expect([signedUp.status, stopped, stopMs < 12_000]).toEqual([303, 0, true]);
  }, 90_000);

  test('waiting emails survive a restart of the gateway', async () => {
    const { letters } = await turns;
    for (const email of ['ida@example.com', 'ian@example.com'])
      expect([email, linkIn(await letters.next(email), '/verify/')]).toEqual([
        email,
        expect.stringContaining('/verify/'),
      ]);
  }, 90_000);

  test('emails of a gateway killed while sending are sent by the next one once the lease has expired', async () => {
    const { leased, letters } = await turns;
    expect(leased).toEqual([{ recipient: 'eve@example.com' }]);
    expect(linkIn(await letters.next('eve@example.com'), '/verify/')).toContain('/verify/');
  }, 90_000);
});

/** What gateways with one database did. */
interface Turns {
  /** The emails that the killed one was sending. */
  readonly leased: Record<string, unknown>[];
  /** The answer while the mail server was silent. */
  readonly signedUp: PageAnswer;
  /** The exit code, and how long the gateway took to exit. */
  readonly stopped: number | string;
  readonly stopMs: number;
  /** Emails of the last one, whose mail server answers. */
  readonly letters: MailServer;
}

/** One gateway is killed while it sends an email, one abandons its silent mail server and stops, and one sends what they left. */
async function playTurns(): Promise<Turns> {
  const [postgres, letters] = await Promise.all([freshDatabase(), startMailServer()]);
  const sockets = new Set<Socket>();
  // It accepts connections and never answers.
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  try {
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const start = (url: string) =>
      startGateway({ env: { SMTP_URL: url, DATABASE_URL: postgres.url, FORECOURT_SECRET } });
    const connected = once(silent, 'connection');
    const killed = await start(`smtp://127.0.0.1:${port}`);
    await signUp(killed.baseUrl, 'eve@example.com');
    await connected;
    await killed.child.stop('SIGKILL');
    const isLeased = "leased_until > now() + interval '5 seconds'";
    const leased = await postgres.query(`select recipient from outbox where ${isLeased}`);

    const waiting = await start(`smtp://127.0.0.1:${port}`);
    const signedUp = await signUp(waiting.baseUrl, 'ida@example.com');
    await waiting.child.printed('"code":"ETIMEDOUT"');
    await signUp(waiting.baseUrl, 'ian@example.com');
    const startedAt = performance.now();
    const stopped = await waiting.stop();
    const stopMs = performance.now() - startedAt;

    await postgres.query('update outbox set leased_until = now()');
    const last = await start(letters.url);
    await eventually(
      () => postgres.query('select 1 from outbox'),
      ({ length }) => length === 0,
      30_000,
    );
    await last.stop();
    return { leased, signedUp, stopped, stopMs, letters };
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await letters.stop();
    await postgres.dispose();
  }
}

describe('without a mail server', () => {
  const running = runGateway({ embedded: true });
  const person = () => new PortalPerson(running().gateway.baseUrl);
  /** Someone who opened the outbox with the printed link. */
  async function reader(): Promise<PortalPerson> {
    const { baseUrl, outboxLink = '' } = running().gateway;
    const { pathname, hash } = new URL(outboxLink);
    const opened = person();
    expect((await opened.get(new URL(pathname + hash, baseUrl).href)).location).toBe('/outbox');
    return opened;
  }
  /** Emails are written after the answer. */
  async function outboxWith(text: string): Promise<string> {
    const opened = await reader();
    const { text: found } = await eventually(
      () => opened.get('/outbox'),
      (page) => page.text.includes(text),
    );
    return found;
  }

  test('the outbox page has all emails, newest first, with working links, says who can see them, and is only for this machine', async () => {
    const { outbox = '' } = await reader();
    expect((await (await reader()).get('/outbox')).text).toContain('No emails yet');
    expect((await signUp(running().gateway.baseUrl, 'ada@example.com')).status).toBe(303);
    await outboxWith('To ada@example.com');
    expect((await person().get('/sent?about=signup')).text).toContain('href="/outbox"');
    await signUp(running().gateway.baseUrl, 'bea@example.com');
    const page = await outboxWith('To bea@example.com');
    expect(page).toMatch(/To bea@example\.com.*To ada@example\.com/s);
    expect(page).toContain('can read all emails');
    const { baseUrl, port } = running().gateway;
    const seen = async (headers: Readonly<Record<string, string>>) =>
      (await plainRequest(`${baseUrl}/outbox`, { cookie: outbox, ...headers })).status;
    expect([await seen({ host: `localhost:${port}` }), await seen({ host: `[::1]:${port}` })]).toEqual([200, 200]);
    // A page that rebinds its name to this machine, and a proxy in front of it.
    for (const headers of [
      { host: `rebound.example:${port}` },
      { host: `localhost.example:${port}` },
      ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].map((name) => ({
        [name]: '127.0.0.1',
      })),
    ])
      expect([headers, await seen(headers)]).toEqual([headers, 404]);
    const link = /<a href="([^"]+\/verify\/[^"]+)">/.exec(page)?.[1] ?? '';
    const activated = await person().follow(link, { new_password: 'three quiet herons' });
    expect(activated.location).toBe('/');
  });

  claim(
    ['portal', 'environments'],
    'In a sandbox without a mail server, emails are shown only to a browser that was given the key of the page, which is printed at start and never part of a URL that is sent.',
    async () => {
      const { baseUrl, outboxLink = '' } = running().gateway;
      const { pathname, hash } = new URL(outboxLink);
      // What a proxy that sets no forwarding header passes on is the same as these.
      const statuses: Record<string, number> = {};
      for (const path of ['/outbox', `/outbox?key=${hash.slice(1)}`])
        statuses[path] = (await person().get(path)).status;
      expect(Object.values(statuses)).toEqual([404, 404]);
      for (const key of ['', 'A'.repeat(43), hash.slice(1, -4), `${hash.slice(1)}A`]) {
        const refused = await person().submit(pathname, { secret: key });
        expect([key, refused.status, refused.headers.get('set-cookie')]).toEqual([key, 404, null]);
      }
      for (const value of ['', 'A'.repeat(43), hash.slice(1, -4)]) {
        const stranger = person();
        stranger.outbox = `__Host-forecourt-outbox=${value}`;
        expect([value, (await stranger.get('/outbox')).status]).toEqual([value, 404]);
      }
      const form = await person().get(pathname);
      expect([form.status, form.text.includes(hash.slice(1))]).toEqual([200, false]);
      expect((await person().submit(pathname, { secret: outboxLink })).headers.get('set-cookie')).toBe(
        `forecourt-outbox=${hash.slice(1)}; Path=/; HttpOnly; SameSite=Strict`,
      );
      expect((await plainRequest(`${baseUrl}${pathname}`, { via: '1.1 proxy' })).status).toBe(404);
    },
  );

  test('the log says where the email is, but not its recipient or link', async () => {
    await running().gateway.child.printed('the email stays in the outbox');
    const { child, outboxLink = '' } = running().gateway;
    expect(child.output().split(outboxLink)).toHaveLength(2);
    expect(child.output().replace(outboxLink, '')).not.toMatch(/ada@example\.com|#[\w-]{43}/);
  });
});

import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.js';
import { type PageAnswer, PortalPerson } from '../support/portal-person.js';
import { runGateway } from '../support/run-gateway.js';

const PASSWORD = 'three quiet herons';
const OTHER = 'nine loud magpies';

let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.stop());
const running = runGateway(() => ({ env: { SMTP_URL: mail.url, TRUSTED_PROXIES: '127.0.0.1' } }));

describe('how often an address may try', () => {
  const from = (address: string) => new PortalPerson(running().gateway.baseUrl, { 'x-forwarded-for': address });
  const logIn = (who: PortalPerson, email: string, password: string) => who.submit('/login', { email, password });

  /** Statuses of so many guesses: ten at a time, which have places in the queue of passwords, and the last two in turn. */
  async function statusesOf(count: number, guessed: (guess: number) => Promise<PageAnswer>): Promise<number[]> {
    const statuses: number[] = [];
    while (statuses.length < count) {
      const size = count - statuses.length > 2 ? Math.min(10, count - 2 - statuses.length) : 1;
      const first = statuses.length;
      const answers = await Promise.all(Array.from({ length: size }, (_none, index) => guessed(first + index)));
      statuses.push(...answers.map(({ status }) => status));
    }
    return statuses;
  }

  async function member(email: string, address: string): Promise<void> {
    await from(address).submit('/signup', { name: 'Ada Sample', email });
    await from(address).follow(linkIn(await mail.next(email), '/verify/'), { new_password: PASSWORD });
  }

  function expectRefused(answer: PageAnswer): void {
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.text).toMatch(/Wait \d+ (seconds|minutes)/);
  }

  claim(
    ['portal', 'V6.1.1', 'V6.3.1'],
    'Concurrent password guesses for one account are blocked, while its owner can log in from another address.',
    async () => {
      await member('ada@example.com', '10.1.0.1');
      const guesser = from('203.0.113.1');
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_none, guess) => logIn(guesser, 'ada@example.com', `guess ${guess}`)),
      );
      // 20 are counted. Of those, 14 fit into the queue of passwords, where one network has at most 12 places.
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(14);
      const refused = await logIn(guesser, 'ada@example.com', PASSWORD);
      expectRefused(refused);
      expect((await logIn(from('203.0.113.2'), 'ada@example.com', PASSWORD)).status).toBe(303);
      // The attacker can still use an account of their own.
      await member('eve@example.com', '203.0.113.1');
      expect((await logIn(guesser, 'eve@example.com', PASSWORD)).status).toBe(303);
    },
    60_000,
  );

  test('rejects an unknown address after as many attempts as a known one', async () => {
    const guesser = from('203.0.113.3');
    const statuses = await statusesOf(22, (guess) => logIn(guesser, 'nobody@example.com', `guess ${guess}`));
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 400), 429, 429]);
  }, 60_000);

  claim(
    ['portal', 'V6.1.1', 'V6.3.1'],
    'Password guesses for one account from many addresses are blocked, while its owner can log in with a browser that they used before, or after resetting the password.',
    async () => {
      await member('ida@example.com', '10.1.0.5');
      const owner = from('10.1.0.5');
      expect((await logIn(owner, 'ida@example.com', PASSWORD)).status).toBe(303);
      const guesses: PageAnswer[] = [];
      // At a time fewer than have a place in the queue of passwords.
      for (const first of [0, 30]) {
        const some = Array.from({ length: first === 0 ? 30 : 25 }, (_none, index) =>
          logIn(from(`198.18.0.${first + index}`), 'ida@example.com', `guess ${first + index}`),
        );
        guesses.push(...(await Promise.all(some)));
      }
      // The owner's login used one of the 50, because the browser was unknown then.
      expect(guesses.filter(({ status }) => status === 400)).toHaveLength(49);
      expect(guesses.filter(({ status }) => status === 429)).toHaveLength(6);
      const stranger = await logIn(from('198.18.1.1'), 'ida@example.com', PASSWORD);
      expectRefused(stranger);
      expect(stranger.text).toContain('reset the password');

      await owner.submit('/logout');
      expect((await logIn(owner, 'ida@example.com', PASSWORD)).status).toBe(303);
      // The cookie of a known browser allows 20 attempts, with that of its owner, and is worth nothing for another account.
      const thief = from('198.18.1.2');
      thief.device = owner.device;
      const tries = await statusesOf(20, (guess) => logIn(thief, 'ida@example.com', `guess ${guess}`));
      expect(tries.slice(-2)).toEqual([400, 429]);
      await member('jon@example.com', '10.1.0.7');
      const other = from('10.1.0.7');
      await logIn(other, 'jon@example.com', PASSWORD);
      const foreign = from('198.18.1.3');
      foreign.device = other.device;
      expectRefused(await logIn(foreign, 'ida@example.com', PASSWORD));

      await from('10.1.0.6').submit('/reset', { email: 'ida@example.com' });
      const elsewhere = from('10.1.0.6');
      await elsewhere.follow(linkIn(await mail.next('ida@example.com'), '/reset/'), { new_password: OTHER });
      expect((await logIn(elsewhere, 'ida@example.com', OTHER)).status).toBe(303);
    },
    60_000,
  );

  claim(
    ['portal', 'API4', 'V6.1.1', 'V6.3.1'],
    'While wrong passwords from 150 networks fill the queue of passwords, an owner logs in with a browser that they used before, confirms the password, and resets it with any browser.',
    async () => {
      await member('lea@example.com', '10.1.0.8');
      const owner = from('10.1.0.8');
      expect((await logIn(owner, 'lea@example.com', PASSWORD)).status).toBe(303);
      const statuses: number[] = [];
      let isOver = false;
      const attack = Array.from({ length: 75 }, async (_none, attacker) => {
        for (let guess = 0; !isOver; guess += 1) {
          const network = from(`198.19.${attacker}.${guess % 2}`);
          const { status } = await logIn(network, `person-${attacker}-${guess}@example.com`, 'a wrong password');
          statuses.push(status);
          // The queue stays full without repeating as fast as the processor can.
          if (status === 503) await wait(500);
        }
      });
      try {
        await eventually(
          async () => statuses,
          (seen) => seen.filter((status) => status === 503).length > 50,
        );
        const seen = statuses.length;
        await owner.submit('/logout');
        expect((await logIn(owner, 'lea@example.com', PASSWORD)).status).toBe(303);
        expect((await owner.submit('/confirm', { password: PASSWORD })).status).toBe(303);
        await from('10.1.0.9').submit('/reset', { email: 'lea@example.com' });
        const link = linkIn(await mail.next('lea@example.com'), '/reset/');
        expect((await from('10.1.0.9').follow(link, { new_password: OTHER })).status).toBe(303);
        expect(statuses.slice(seen)).toContain(503);
      } finally {
        isOver = true;
        await Promise.all(attack);
      }
    },
    60_000,
  );

  test('passwords of clients that disconnected are not hashed before those of others', async () => {
    await member('max@example.com', '10.1.0.10');
    const { baseUrl } = running().gateway;
    const login = (index: number, signal: AbortSignal) =>
      fetch(`${baseUrl}/login`, {
        method: 'POST',
        headers: { origin: baseUrl, 'x-forwarded-for': `198.18.9.${index}`, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ email: `gone-${index}@example.com`, password: 'a wrong password' }),
        signal,
      });
    const ratios: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const alone = await logIn(from(`10.3.0.${round}`), 'max@example.com', PASSWORD);
      const leaving = new AbortController();
      const flood = Array.from({ length: 42 }, (_none, index) => login(round * 42 + index, leaving.signal));
      await wait(200);
      leaving.abort();
      await Promise.allSettled(flood);
      const after = await logIn(from(`10.3.1.${round}`), 'max@example.com', PASSWORD);
      expect([alone.status, after.status]).toEqual([303, 303]);
      ratios.push(after.ms / alone.ms);
    }
    // If all were hashed, it would wait for twenty hashes on each of two threads.
    expect(Math.min(...ratios)).toBeLessThan(2.5);
  }, 60_000);

  claim(
    ['portal', 'V6.1.1', 'V6.3.1'],
    'Trying one password on many accounts is blocked, and a /48 IPv6 network counts as one address.',
    async () => {
      const statuses = await statusesOf(56, async (guess) => {
        const network = from(`2001:db8:1:${guess.toString(16)}::1`);
        const answer = await logIn(network, `person-${guess}@example.com`, 'a common password');
        if (answer.status === 429) expectRefused(answer);
        return answer;
      });
      expect([statuses.at(0), statuses.at(-1), new Set(statuses)]).toEqual([400, 429, new Set([400, 429])]);
      expect((await logIn(from('2001:db8:2:1::1'), 'ada@example.com', PASSWORD)).status).toBe(303);
    },
    60_000,
  );

  test.each([
    ['/signup', 20, (count: number) => ({ name: 'Ada Sample', email: `many-${count}@example.com` })],
    ['/reset', 10, (count: number) => ({ email: `many-${count}@example.com` })],
    ['/resend', 10, (count: number) => ({ email: `many-${count}@example.com` })],
  ])(
    '%s: %d concurrently, then 429; other clients are not affected',
    async (path, most, fieldsOf) => {
      const address = `203.0.113.${100 + path.length}`;
      const statuses: number[] = [];
      for (let count = 0; count < most; count += 1)
        statuses.push((await from(address).submit(path, fieldsOf(count))).status);
      expect(new Set(statuses)).toEqual(new Set([303]));
      expectRefused(await from(address).submit(path, fieldsOf(most)));
      expect((await from('203.0.113.200').submit(path, fieldsOf(most + 1))).status).toBe(303);
    },
    60_000,
  );

  test('reset requests for an account from many addresses send it few emails, each with a working link', async () => {
    await member('flo@example.com', '10.1.0.2');
    for (let count = 0; count < 12; count += 1)
      await from(`198.51.100.${count}`).submit('/reset', { email: 'flo@example.com' });
    const resets = (address: string) =>
      mail.mails().filter(({ to, subject }) => to === address && subject.startsWith('Reset your'));
    // An email of the same kind that is queued after them.
    await member('gil@example.com', '10.1.0.3');
    await from('10.1.0.3').submit('/reset', { email: 'gil@example.com' });
    await eventually(
      async () => [resets('flo@example.com').length, resets('gil@example.com').length],
      ([flo = 0, gil]) => flo >= 5 && gil === 1,
    );
    const letters = resets('flo@example.com');
    expect(letters).toHaveLength(5);
    const last = letters.at(-1);
    expect((await from('10.1.0.2').get(last ? linkIn(last, '/reset/') : '')).status).toBe(200);
  }, 60_000);

  test('the page that asks for the password has the limits of the login', async () => {
    await member('hal@example.com', '10.1.0.4');
    const who = from('10.1.0.4');
    await logIn(who, 'hal@example.com', PASSWORD);
    const statuses = await statusesOf(21, (guess) => who.submit('/confirm', { password: `guess ${guess}` }));
    expect(statuses.slice(-3)).toEqual([400, 400, 429]);
  }, 60_000);
});

/** Rounds of a comparison of times. */
const [FEWEST, MOST] = [15, 60];

describe('time', () => {
  // The embedded database runs on the thread that answers requests.
  const running = runGateway(() => ({
    embedded: true,
    env: { SMTP_URL: mail.url, TRUSTED_PROXIES: '127.0.0.1' },
  }));
  let requests = 0;
  /** Each request comes from another address, so that no limit applies. */
  const stranger = () => {
    requests += 1;
    const address = `10.2.${requests >> 8}.${requests & 255}`;
    return new PortalPerson(running().gateway.baseUrl, { 'x-forwarded-for': address });
  };
  const send = (path: string, fields: Record<string, string>) => stranger().submit(path, fields);

  test.each([
    ['a login', '/login', { password: 'a wrong password' }],
    ['a sign-up', '/signup', { name: 'Ada Sample' }],
    ['a reset', '/reset', {}],
    ['requesting the link again', '/resend', {}],
  ])(
    '%s takes as long for an address that has an account as for one that has none',
    async (_what, path, fields) => {
      const owner = `owner${path.slice(1)}@example.com`;
      await send('/signup', { name: 'Ada Sample', email: owner });
      const link = linkIn(await mail.next(owner), '/verify/');
      if (path !== '/resend') await stranger().follow(link, { new_password: PASSWORD });
      const [known, unknown]: [number[], number[]] = [[], []];
      const ratioNow = () => median(known) / median(unknown);
      // In turn, so that a slow moment of the machine affects both, and more often if the first rounds differ.
      for (let round = 0; round < FEWEST || (round < MOST && Math.abs(Math.log(ratioNow())) > 0.2); round += 1) {
        known.push((await send(path, { ...fields, email: owner })).ms);
        unknown.push((await send(path, { ...fields, email: `nobody-${path.slice(1)}-${round}@example.com` })).ms);
      }
      expect(ratioNow()).toBeGreaterThan(0.6);
      expect(ratioNow()).toBeLessThan(1.67);
    },
    90_000,
  );
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

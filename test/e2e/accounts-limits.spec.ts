import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { linkIn } from '../support/mail-server.js';
import { type PasswordCost, passwordHash } from '../support/password-hash.js';
import { type PageAnswer, PortalPerson } from '../support/portal-person.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';

const PASSWORD = 'three quiet herons';
const OTHER = 'nine loud magpies';
/** A login after 42 that were given up, compared with one alone. */
const MOST_SLOWER = 5;

describeWith('redis-server', 'initdb')('how often an address may try', () => {
  const running = sharedGateway();
  let mail: SharedGateway['mail'];
  beforeAll(() => {
    mail = running().mail;
  });
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

  /** Creates accounts. Guesses are refused when the queue of passwords is full, which hardly happens with a quick hash. */
  async function members(emails: readonly string[], cost?: PasswordCost): Promise<void> {
    await running().postgres.query(
      `insert into accounts (id, environment, name, tier, email, verified_at, role, password_hash)
       select 'acc_' || md5(email), 'sandbox', 'Ada Sample', 'standard', email, now(), 'developer', $2 from unnest($1::text[]) email`,
      [emails, passwordHash(PASSWORD, cost)],
    );
  }

  /** The statuses of 24 concurrent guesses, of which 20 are counted; 14 fit into the queue of passwords, where one network has at most 12 places. */
  async function expectBlocked(guesser: PortalPerson, email: string): Promise<void> {
    const guesses = Array.from({ length: 24 }, (_none, guess) => logIn(guesser, email, `guess ${guess}`));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(14);
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
      await members(['ada@limits.example']);
      const guesser = from('203.0.113.1');
      await expectBlocked(guesser, 'ada@limits.example');
      const refused = await logIn(guesser, 'ada@limits.example', PASSWORD);
      expectRefused(refused);
      expect((await logIn(from('203.0.113.2'), 'ada@limits.example', PASSWORD)).status).toBe(303);
      // The attacker can still use an account of their own.
      await members(['eve@limits.example']);
      expect((await logIn(guesser, 'eve@limits.example', PASSWORD)).status).toBe(303);
    },
    60_000,
  );

  test('rejects an unknown address after as many attempts as a known one', async () => {
    const guesser = from('203.0.113.3');
    await expectBlocked(guesser, 'nobody@limits.example');
    expectRefused(await logIn(guesser, 'nobody@limits.example', PASSWORD));
  }, 60_000);

  claim(
    ['portal', 'V6.1.1', 'V6.3.1'],
    'Password guesses for one account from many addresses are blocked, while its owner can log in with a browser that they used before, or after resetting the password.',
    async () => {
      await members(['ida@limits.example']);
      const owner = from('10.1.0.5');
      expect((await logIn(owner, 'ida@limits.example', PASSWORD)).status).toBe(303);
      const guesses: PageAnswer[] = [];
      // At a time fewer than have a place in the queue of passwords.
      for (const first of [0, 30]) {
        const some = Array.from({ length: first === 0 ? 30 : 25 }, (_none, index) =>
          logIn(from(`198.18.0.${first + index}`), 'ida@limits.example', `guess ${first + index}`),
        );
        guesses.push(...(await Promise.all(some)));
      }
      // The owner's login used one of the 50, because the browser was unknown then.
      expect(guesses.filter(({ status }) => status === 400)).toHaveLength(49);
      expect(guesses.filter(({ status }) => status === 429)).toHaveLength(6);
      const stranger = await logIn(from('198.18.1.1'), 'ida@limits.example', PASSWORD);
      expectRefused(stranger);
      expect(stranger.text).toContain('reset the password');

      await owner.submit('/logout');
      expect((await logIn(owner, 'ida@limits.example', PASSWORD)).status).toBe(303);
      // The cookie of a known browser allows 20 attempts, with that of its owner, and is worth nothing for another account.
      const thief = from('198.18.1.2');
      thief.device = owner.device;
      const tries = await statusesOf(20, (guess) => logIn(thief, 'ida@limits.example', `guess ${guess}`));
      expect(tries.slice(-2)).toEqual([400, 429]);
      await members(['jon@limits.example']);
      const other = from('10.1.0.7');
      await logIn(other, 'jon@limits.example', PASSWORD);
      const foreign = from('198.18.1.3');
      foreign.device = other.device;
      expectRefused(await logIn(foreign, 'ida@limits.example', PASSWORD));

      await from('10.1.0.6').submit('/reset', { email: 'ida@limits.example' });
      const elsewhere = from('10.1.0.6');
      await elsewhere.follow(linkIn(await mail.next('ida@limits.example'), '/reset/'), { new_password: OTHER });
      expect((await logIn(elsewhere, 'ida@limits.example', OTHER)).status).toBe(303);
    },
    60_000,
  );

  claim(
    ['portal', 'API4', 'V6.1.1', 'V6.3.1'],
    'While wrong passwords from 100 networks fill the queue of passwords, an owner logs in with a browser that they used before, confirms the password, and resets it with any browser.',
    async () => {
      await members(['lea@limits.example'], 'real');
      const owner = from('10.1.0.8');
      expect((await logIn(owner, 'lea@limits.example', PASSWORD)).status).toBe(303);
      const statuses: number[] = [];
      let isOver = false;
      const attack = Array.from({ length: 50 }, async (_none, attacker) => {
        for (let guess = 0; !isOver; guess += 1) {
          const network = from(`198.19.${attacker}.${guess % 2}`);
          const { status } = await logIn(network, `person-${attacker}-${guess}@limits.example`, 'a wrong password');
          statuses.push(status);
          // The queue stays full without repeating as fast as the processor can.
          if (status === 503) await wait(500);
        }
      });
      try {
        await eventually(
          async () => statuses,
          (seen) => seen.filter((status) => status === 503).length > 7,
        );
        const seen = statuses.length;
        await owner.submit('/logout');
        expect((await logIn(owner, 'lea@limits.example', PASSWORD)).status).toBe(303);
        expect((await owner.submit('/confirm', { password: PASSWORD })).status).toBe(303);
        await from('10.1.0.9').submit('/reset', { email: 'lea@limits.example' });
        const link = linkIn(await mail.next('lea@limits.example'), '/reset/');
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
    await members(['max@limits.example'], 'real');
    const { baseUrl } = running().gateway;
    const login = (index: number, signal: AbortSignal) =>
      fetch(`${baseUrl}/login`, {
        method: 'POST',
        headers: { origin: baseUrl, 'x-forwarded-for': `198.18.9.${index}`, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ email: `gone-${index}@limits.example`, password: 'a wrong password' }),
        signal,
      });
    let ratio = Number.POSITIVE_INFINITY;
    // Again if the machine had a slow moment. If all were hashed, it would wait for twenty hashes on each of two threads,
    // which makes it some twenty times as slow; a busy machine has made it three times as slow.
    for (let round = 0; round < 3 && ratio > MOST_SLOWER; round += 1) {
      const alone = await logIn(from(`10.3.0.${round}`), 'max@limits.example', PASSWORD);
      const leaving = new AbortController();
      const flood = Array.from({ length: 42 }, (_none, index) => login(round * 42 + index, leaving.signal));
      await wait(200);
      leaving.abort();
      await Promise.allSettled(flood);
      const after = await logIn(from(`10.3.1.${round}`), 'max@limits.example', PASSWORD);
      expect([alone.status, after.status]).toEqual([303, 303]);
      ratio = after.ms / alone.ms;
    }
    expect(ratio).toBeLessThan(MOST_SLOWER);
  }, 60_000);

  claim(
    ['portal', 'V6.1.1', 'V6.3.1'],
    'Trying one password on many accounts is blocked, and a /48 IPv6 network counts as one address.',
    async () => {
      const emails = Array.from({ length: 56 }, (_none, guess) => `person-${guess}@limits.example`);
      await members(emails);
      const statuses = await statusesOf(56, async (guess) => {
        const network = from(`2001:db8:1:${guess.toString(16)}::1`);
        const answer = await logIn(network, emails[guess] ?? '', 'a common password');
        if (answer.status === 429) expectRefused(answer);
        return answer;
      });
      expect([statuses.at(0), statuses.at(-1), new Set(statuses)]).toEqual([400, 429, new Set([400, 429])]);
      expect((await logIn(from('2001:db8:2:1::1'), 'ada@limits.example', PASSWORD)).status).toBe(303);
    },
    60_000,
  );

  test.each([
    ['/signup', 20, (count: number) => ({ name: 'Ada Sample', email: `many-${count}@limits.example` })],
    ['/reset', 10, (count: number) => ({ email: `many-${count}@limits.example` })],
    ['/resend', 10, (count: number) => ({ email: `many-${count}@limits.example` })],
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
    await members(['flo@limits.example']);
    for (let count = 0; count < 12; count += 1)
      await from(`198.51.100.${count}`).submit('/reset', { email: 'flo@limits.example' });
    const resets = (address: string) =>
      mail.mails().filter(({ to, subject }) => to === address && subject.startsWith('Reset your'));
    // An email of the same kind that is queued after them.
    await members(['gil@limits.example']);
    await from('10.1.0.3').submit('/reset', { email: 'gil@limits.example' });
    await eventually(
      async () => [resets('flo@limits.example').length, resets('gil@limits.example').length],
      ([flo = 0, gil]) => flo >= 5 && gil === 1,
    );
    const letters = resets('flo@limits.example');
    expect(letters).toHaveLength(5);
    const last = letters.at(-1);
    expect((await from('10.1.0.2').get(last ? linkIn(last, '/reset/') : '')).status).toBe(200);
  }, 60_000);

  test('the page that asks for the password has the limits of the login', async () => {
    await members(['hal@limits.example']);
    const who = from('10.1.0.4');
    await logIn(who, 'hal@limits.example', PASSWORD);
    const statuses = await statusesOf(21, (guess) => who.submit('/confirm', { password: `guess ${guess}` }));
    expect(statuses.slice(-3)).toEqual([400, 400, 429]);
  }, 60_000);
});

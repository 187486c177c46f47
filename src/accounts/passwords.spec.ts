import { Passwords, PasswordsBusyError } from './passwords.js';

const GOOD = 'three quiet herons';

describe('Passwords', () => {
  const passwords = new Passwords();

  test('a hash is argon2id at the cost recommended by OWASP, in PHC format, with its own salt', async () => {
    const [one, two] = await Promise.all([passwords.hash('acc_a', GOOD), passwords.hash('acc_a', GOOD)]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(one).not.toContain(GOOD);
  });

  test('only the exact password matches', async () => {
    const hash = await passwords.hash('acc_a', GOOD);
    expect(await passwords.verify('acc_a', GOOD, hash)).toBe(true);
    for (const wrong of ['', 'three quiet heron', `${GOOD} `, GOOD.toUpperCase()])
      expect(await passwords.verify('acc_a', wrong, hash)).toBe(false);
  });

  test('a hash from another library is verified with the costs it contains', async () => {
    // RFC 9106 argon2id by the reference command line: echo -n … | argon2 somesalt1234 -id -t 1 -m 10 -p 2
    const hash = await argonOf('password of a test', 'c29tZXNhbHQxMjM0', { memory: 1_024, passes: 1, parallelism: 2 });
    expect(await passwords.verify('acc_a', 'password of a test', hash)).toBe(true);
    expect(await passwords.verify('acc_a', 'password of a tesT', hash)).toBe(false);
  });

  test('differently composed characters are the same password', async () => {
    const hash = await passwords.hash('acc_a', 'caf\u00e9 on the corner');
    expect(await passwords.verify('acc_a', 'cafe\u0301 on the corner', hash)).toBe(true);
  });

  test('without a hash no password matches, after the same work', async () => {
    const hash = await passwords.hash('acc_a', GOOD);
    const timed = async (phc: string | null): Promise<number> => {
      // Processor time of all threads: other processes don't change it.
      const { user } = process.cpuUsage();
      expect(await passwords.verify('acc_a', 'wrong in any case', phc)).toBe(false);
      return process.cpuUsage().user - user;
    };
    const [some, none]: [number[], number[]] = [[], []];
    for (let round = 0; round < 15; round += 1) {
      some.push(await timed(hash));
      none.push(await timed(null));
    }
    expect(median(some) / median(none)).toBeGreaterThan(0.6);
    expect(median(some) / median(none)).toBeLessThan(1.67);
  });

  test('a malformed stored hash is an error, never a match', async () => {
    await expect(passwords.verify('acc_a', GOOD, '$2b$12$abcdefghijklmnopqrstuv')).rejects.toThrow(
      'not in argon2id PHC format',
    );
  });

  test('in a burst a bounded number is hashed, the rest is rejected immediately, and later calls work again', async () => {
    const flood = await Promise.allSettled(
      Array.from({ length: 80 }, (_, i) => passwords.verify(`acc_${i}`, GOOD, null)),
    );
    const refused = flood.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(18);
    expect(refused.every(({ reason }) => reason instanceof PasswordsBusyError)).toBe(true);
    expect(await passwords.verify('acc_a', GOOD, await passwords.hash('acc_a', GOOD))).toBe(true);
  }, 30_000);
});

test('one network that floods the queue has at most twelve calls in it, and another one is served after one of them', async () => {
  const passwords = new Passwords();
  const order: string[] = [];
  const call = async (caller: string): Promise<void> => {
    await passwords.verify(caller, GOOD, null);
    order.push(caller);
  };
  const flood = Promise.allSettled(Array.from({ length: 80 }, () => call('192.0.2.7')));
  await call('acc_owner');
  const refused = (await flood).filter((result) => result.status === 'rejected');
  expect(refused).toHaveLength(66);
  expect(order.indexOf('acc_owner')).toBeLessThanOrEqual(4);
}, 30_000);

async function argonOf(
  password: string,
  salt: string,
  cost: { memory: number; passes: number; parallelism: number },
): Promise<string> {
  const { argon2Sync } = await import('node:crypto');
  const tag = argon2Sync('argon2id', { message: password, nonce: Buffer.from(salt, 'base64'), tagLength: 24, ...cost });
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${salt}$${tag.toString('base64').replace(/=+$/, '')}`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

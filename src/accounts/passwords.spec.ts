import { RequestContext } from '../context/request-context.js';
import { ownerOf, type PasswordCaller, Passwords, PasswordsBusyError } from './passwords.js';

const GOOD = 'three quiet herons';
const OWNER = ownerOf('acc_a', undefined);

/** Takes a thousandth of the work: for tests of the order in which passwords are hashed. */
const CHEAP = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function stranger(network: string | number, request?: RequestContext): PasswordCaller {
  return { key: `192.0.2.${network}`, isKnown: false, request };
}

describe('Passwords', () => {
  const passwords = new Passwords();

  test('a hash is argon2id at the cost recommended by OWASP, in PHC format, with its own salt', async () => {
    const [one, two] = await Promise.all([passwords.hash(OWNER, GOOD), passwords.hash(OWNER, GOOD)]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(one).not.toContain(GOOD);
  });

  test('only the exact password matches', async () => {
    const hash = await passwords.hash(OWNER, GOOD);
    expect(await passwords.verify(OWNER, GOOD, hash)).toBe(true);
    for (const wrong of ['', 'three quiet heron', `${GOOD} `, GOOD.toUpperCase()])
      expect(await passwords.verify(OWNER, wrong, hash)).toBe(false);
  });

  test('a hash from another library is verified with the costs it contains', async () => {
    // RFC 9106 argon2id by the reference command line: echo -n … | argon2 somesalt1234 -id -t 1 -m 10 -p 2
    const hash = await argonOf('password of a test', 'c29tZXNhbHQxMjM0', { memory: 1_024, passes: 1, parallelism: 2 });
    expect(await passwords.verify(OWNER, 'password of a test', hash)).toBe(true);
    expect(await passwords.verify(OWNER, 'password of a tesT', hash)).toBe(false);
  });

  test('differently composed characters are the same password', async () => {
    const hash = await passwords.hash(OWNER, 'caf\u00e9 on the corner');
    expect(await passwords.verify(OWNER, 'cafe\u0301 on the corner', hash)).toBe(true);
  });

  test('without a hash no password matches, after the same work', async () => {
    const hash = await passwords.hash(OWNER, GOOD);
    const timed = async (phc: string | null): Promise<number> => {
      // Processor time of all threads: other processes don't change it.
      const { user } = process.cpuUsage();
      expect(await passwords.verify(OWNER, 'wrong in any case', phc)).toBe(false);
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
    await expect(passwords.verify(OWNER, GOOD, '$2b$12$abcdefghijklmnopqrstuv')).rejects.toThrow(
      'not in argon2id PHC format',
    );
  });

  test('in a burst a bounded number is hashed, the rest is rejected immediately, and later calls work again', async () => {
    const flood = await Promise.allSettled(
      Array.from({ length: 80 }, (_, network) => passwords.verify(stranger(network), GOOD, CHEAP)),
    );
    const refused = flood.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(38);
    expect(refused.every(({ reason }) => reason instanceof PasswordsBusyError)).toBe(true);
    expect(await passwords.verify(OWNER, GOOD, await passwords.hash(OWNER, GOOD))).toBe(true);
  }, 30_000);
});

describe('the queue of passwords', () => {
  /** Calls in the order in which they settled: `name`, or `name refused`. */
  function queue(): { readonly order: string[]; call(name: string, caller: PasswordCaller): Promise<void> } {
    const passwords = new Passwords();
    const order: string[] = [];
    const call = async (name: string, caller: PasswordCaller): Promise<void> => {
      await passwords.verify(caller, GOOD, CHEAP).then(
        () => order.push(name),
        () => order.push(`${name} refused`),
      );
    };
    return { order, call };
  }
  const served = (order: readonly string[]) => order.filter((name) => !name.endsWith('refused'));
  const callsOf = (count: number, call: (index: number) => Promise<void>) =>
    Array.from({ length: count }, (_, index) => call(index));

  test('one network has at most twelve calls in it, and another one is served after one of them', async () => {
    const { order, call } = queue();
    const flood = callsOf(80, () => call('flood', stranger(7)));
    await call('other', stranger(8));
    await Promise.all(flood);
    expect(order.filter((name) => name === 'flood refused')).toHaveLength(66);
    // In the order of arrival it would be the last of 15. On a busy machine, one thread hashes several while another hashes one.
    expect(served(order).indexOf('other')).toBeLessThanOrEqual(10);
  }, 30_000);

  test('known callers have a third of the places and every second turn, however many networks fill the others', async () => {
    const { order, call } = queue();
    const flood = callsOf(200, (index) => call('flood', stranger(index % 100)));
    await Promise.all(callsOf(10, (index) => call('known', ownerOf(`acc_${index}`, undefined))));
    expect(order).not.toContain('known refused');
    // Two strangers were being hashed before, then they took turns.
    expect(served(order).filter((name) => name === 'flood').length).toBeLessThanOrEqual(14);
    await Promise.all(flood);
    expect(served(order)).toHaveLength(52);
  }, 30_000);

  test('strangers have every second turn, however many known callers wait', async () => {
    const { order, call } = queue();
    const flood = callsOf(40, (index) => call('known', ownerOf(`acc_${index}`, undefined)));
    await call('stranger', stranger(1));
    expect(served(order).indexOf('stranger')).toBeLessThanOrEqual(10);
    await Promise.all(flood);
  }, 30_000);

  test('when it is full, the newest call of the network with the most gives way to one of a network with fewer', async () => {
    const { order, call } = queue();
    const flood = callsOf(42, (index) => call(`${index % 4}: ${index}`, stranger(index % 4)));
    await Promise.resolve();
    const newcomers = callsOf(9, () => call('newcomer', stranger(9)));
    await Promise.all([...flood, ...newcomers]);
    // Four networks had ten calls each. Five have eight each then, without their newest.
    const refused = order.filter((name) => name.endsWith('refused'));
    expect(refused.filter((name) => name === 'newcomer refused')).toHaveLength(1);
    expect(refused.filter((name) => name !== 'newcomer refused').sort()).toEqual(
      Array.from({ length: 8 }, (_, index) => `${(34 + index) % 4}: ${34 + index} refused`).sort(),
    );
  }, 30_000);

  test('a call whose request is canceled leaves it and is not hashed', async () => {
    const { order, call } = queue();
    const requests = Array.from({ length: 42 }, (_, index) => new RequestContext(`req_${index}`, Date.now()));
    const flood = requests.map((request, index) => call(`${index}`, stranger(index, request)));
    await Promise.resolve();
    for (const request of requests.slice(0, 20)) request.cancel('client_disconnected');
    for (const request of requests.slice(20)) request.cancel('budget_exhausted');
    await call('next', stranger(99));
    await Promise.all(flood);
    const late = new RequestContext('req_late', Date.now());
    late.cancel('client_disconnected');
    // The first two were being hashed.
    expect(served(order).sort()).toEqual(['0', '1', 'next']);
    const busy = callsOf(2, () => call('busy', stranger(1)));
    await call('late', stranger(2, late));
    expect(order.at(-1)).toBe('late refused');
    await Promise.all(busy);
  }, 30_000);
});

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

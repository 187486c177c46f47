import { argon2Sync, randomBytes } from 'node:crypto';

/** Memory in KiB and passes: of the gateway's own hashes, and of those that are checked in no time. */
const COSTS = { real: [19_456, 2], quick: [8, 1] } as const;

/** How much work a hash is. */
export type PasswordCost = keyof typeof COSTS;

/** What the database holds of the password of an account that a test inserts. */
export function passwordHash(password: string, cost: PasswordCost = 'quick'): string {
  const [memory, passes] = COSTS[cost];
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { message: password, nonce, memory, passes, parallelism: 1, tagLength: 32 });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${salt}$${hash}`;
}

import { createSecretKey } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { DeviceCookies } from '../../accounts/device-cookies.js';
import { MemoryStore } from '../../store/memory/memory-store.js';
import { Attempts } from './attempts.js';

const EMAIL = 'ada@example.com';

test('logins with the correct password are limited per account across all browsers; wrong ones never use that limit up', async () => {
  const devices = new DeviceCookies(() => createSecretKey(Buffer.alloc(32, 1)));
  const attempts = new Attempts(new MemoryStore(1_000, () => 1_000_000), devices);
  const fromNewBrowser = (): FastifyRequest => {
    const [cookie] = devices.issue(EMAIL).split(';', 1);
    return { ip: '192.0.2.1', headers: { cookie } } as FastifyRequest;
  };
  for (let i = 0; i < 200; i += 1) {
    await attempts.countLogIn(fromNewBrowser(), EMAIL);
    await attempts.countWrongPassword(fromNewBrowser());
  }
  for (let i = 0; i < 100; i += 1) {
    await attempts.countLogIn(fromNewBrowser(), EMAIL);
    await attempts.countCorrectLogIn(EMAIL);
  }
  await expect(attempts.countLogIn(fromNewBrowser(), EMAIL)).rejects.toMatchObject({ status: 429 });
});

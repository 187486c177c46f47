import { afterEach, expect, it, jest } from '@jest/globals';
import type { SupplierSession } from '../model/supplier.js';
import { SupplierSessions } from './supplier-session.js';

const context = { requestId: 'req_1', environment: 'sandbox' } as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  jest.restoreAllMocks();
});

it('a call that is refused with an expired session waits for the renewal in progress, without another login', async () => {
  const logins: ((session: SupplierSession) => void)[] = [];
  const sessions = new SupplierSessions(() => new Promise((resolve) => logins.push(resolve)));
  const login = (token: string) => logins.at(-1)?.({ headers: { token }, expiresInSeconds: 60 });
  const opening = sessions.live(context);
  login('1');
  const expired = await opening;
  jest.spyOn(Date, 'now').mockReturnValue(expired.renewAt);
  const renewing = sessions.live(context);
  await turn();
  expect(sessions.refused(expired)).toBe(true);
  const next = sessions.live(context);
  await turn();
  expect(logins.length).toBe(2);
  login('2');
  expect(await next).toBe(await renewing);
});

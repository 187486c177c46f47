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

it.each<[string, SupplierSession]>([
  ['a line break in a header', { headers: { authorization: 'Bearer a\nb' }, expiresInSeconds: 60 }],
  ['a character beyond ASCII in a header', { headers: { authorization: 'Bearer ü' }, expiresInSeconds: 60 }],
  ['headers that no server accepts', { headers: { authorization: 'x'.repeat(8_193) }, expiresInSeconds: 60 }],
  ['a lifetime that is no number', { headers: { token: '1' }, expiresInSeconds: Number.NaN }],
])('a session with %s is a bad payload, and the next call logs in again', async (_what, unusable) => {
  const login = jest.fn<() => Promise<SupplierSession>>();
  login.mockResolvedValueOnce(unusable).mockResolvedValue({ headers: { token: '2' }, expiresInSeconds: 60 });
  const sessions = new SupplierSessions(login);
  await expect(sessions.live(context)).rejects.toMatchObject({ name: 'SupplierError', fault: 'bad_payload' });
  expect((await sessions.live(context)).headers).toEqual({ token: '2' });
});

it.each([1e12, Number.POSITIVE_INFINITY])(
  'a session is renewed after a day if its lifetime is %s s',
  async (stated) => {
    const sessions = new SupplierSessions(() => Promise.resolve({ headers: { token: '1' }, expiresInSeconds: stated }));
    const before = Date.now();
    const { renewAt } = await sessions.live(context);
    expect(renewAt - before).toBeGreaterThan(23 * 3_600_000);
    expect(renewAt).toBeLessThanOrEqual(Date.now() + 86_400_000);
  },
);

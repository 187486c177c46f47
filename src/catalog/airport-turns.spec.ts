import { expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import { AirportTurns } from './airport-turns.js';

const context = (accountId = 'acc_1') => contextOfApplication('app_1', Date.now(), { accountId });
const never = () => new Promise<string>(() => undefined);

it('the turns of canceled requests, whose searches may never settle, are free again', async () => {
  const turns = new AirportTurns();
  const gone = Array.from({ length: 4 }, () => context());
  for (const one of gone) void turns.run(one, never);
  const waiting = turns.run(context(), async () => 'found');
  for (const one of gone) one.cancel('client_disconnected');
  expect(await waiting).toBe('found');
});

claim(
  'API2',
  'A search of several airports that waits for others does not begin if its token is revoked meanwhile.',
  async () => {
    const turns = new AirportTurns();
    const gone = Array.from({ length: 4 }, () => context());
    for (const one of gone) void turns.run(one, never);
    const revoked = context();
    revoked.acceptedBy(() => Promise.reject(new Error('revoked')));
    let isBegun = false;
    const search = async () => {
      isBegun = true;
      return 'found';
    };
    const waiting = [turns.run(revoked, search), turns.run(context(), async () => 'next')];
    for (const one of gone.slice(0, 1)) one.cancel('client_disconnected');
    await expect(waiting[0]).rejects.toThrow('revoked');
    expect([await waiting[1], isBegun]).toEqual(['next', false]);
  },
);

it('a fifth search of an account is refused with the time to wait, and one of another account is not', async () => {
  const turns = new AirportTurns();
  for (let count = 0; count < 4; count += 1) void turns.run(context(), never);
  expect(await turns.run(context('acc_2'), async () => 'found')).toBe('found');
  await expect(turns.run(context(), never)).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
});

it('the error of a search is that of its caller, and frees the turn', async () => {
  const turns = new AirportTurns();
  const fail = () => turns.run(context(), () => Promise.reject(new Error('no car')));
  for (let count = 0; count < 6; count += 1) await expect(fail()).rejects.toThrow('no car');
});

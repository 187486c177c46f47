import { describe, expect, it } from '@jest/globals';
import type { ModifyRequest } from '../../model/bookings.js';
import { adapter, answering, change, errorOf, recorded } from './fixtures/setting.js';

const { status, reservation } = JSON.parse(recorded('reservation.201.json').body);
const whole: ModifyRequest = { ...change, changes: ['rental'] };

/** A reservation with members of its confirmation replaced. */
const reserved = (confirmation: object = {}) => ({
  ...reservation,
  confirmation: { ...reservation.confirmation, ...confirmation },
});
const answer = (http: number, body: object) => answering({ status: http, body: JSON.stringify(body) });

describe('a change', () => {
  it('answered with another number is in doubt', async () => {
    const changed = (number: string) =>
      adapter.modify?.(whole, answer(200, { status, reservation: reserved({ number }) }));
    expect(await changed('09449519gb3')).toMatchObject({ status: 'confirmed' });
    expect((await errorOf(changed('70613990US3'))).fault).toBe('bad_payload');
  });
});

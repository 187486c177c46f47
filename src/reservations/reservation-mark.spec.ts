import { createSecretKey } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Keys } from '../config/keys.js';
import { reservationMark, reservationMarks } from './reservation-mark.js';

const keysOf =
  (byte: number): Keys =>
  () =>
    createSecretKey(Buffer.alloc(32, byte));

it('a reservation is found by the mark from each accepted secret, and requests get the one from the own secret', () => {
  const both = Object.assign(keysOf(2), { other: keysOf(1) });
  const [own, other] = [keysOf(2), keysOf(1)].map((keys) => reservationMark(keys, 'res_1'));
  expect(reservationMarks(both, 'res_1')).toEqual([own, other]);
  expect([reservationMark(both, 'res_1'), own === other]).toEqual([own, false]);
});

import { describe, expect, it } from '@jest/globals';
import { MemoryRepository } from './fixtures/memory-repository.js';
import { reservationIn, samplePersonal, sampleRental, sampleView } from './fixtures/sample-reservation.js';
import { cancelInReview, type Resolution, ResolutionRefused, resolveReservation } from './operator-resolution.js';
import type { Change, Reservation } from './reservation.js';

const change: Change = {
  kinds: ['rental'],
  rental: { ...sampleRental, pickupDate: '2027-03-01T10:00:00', ref: { offer: 'NEW' } },
  view: { ...sampleView, rental_days: 9 },
  personal: { ...samplePersonal, remark: 'Another remark' },
};
const drift = { accepted: sampleRental.total, actual: { ...sampleRental.total, amountMinor: 1 } };

async function resolved(before: Reservation, to: Resolution['to']): Promise<Reservation | undefined> {
  const repository = new MemoryRepository().has(before);
  await resolveReservation(repository.asRepository, before, { to, confirmationNumber: undefined, reason: 'by phone' });
  return repository.reservations.get(before.id);
}

it.each([
  ['that is locked', '55P03', 'locked'],
  ['whose number another one has', '23505', 'another reservation has this confirmation number'],
])('of a reservation %s, an operator learns why nothing was stored', async (_what, code, message) => {
  const before = reservationIn('manual_review', { confirmationNumber: 'CN1' });
  const repository = new MemoryRepository().has(before);
  repository.failures.push({ before: Object.assign(new Error('locked'), { code }) });
  const resolution = { to: 'failed', confirmationNumber: undefined, reason: 'by phone' } as const;
  await expect(resolveReservation(repository.asRepository, before, resolution)).rejects.toThrow(message);
});

describe('a change in doubt', () => {
  const inDoubt = reservationIn('manual_review', { confirmationNumber: 'CN1', change, priceDrift: drift });

  it('that the supplier made is the reservation from then on', async () => {
    const { rental, view, personal } = change;
    const after = await resolved(inDoubt, 'changed');
    expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN1', view, personal });
    expect([after?.rental, after?.change, after?.priceDrift]).toEqual([rental, undefined, undefined]);
    expect(after?.history.at(-1)).toMatchObject({ to: 'confirmed', actor: 'ops', reason: 'by phone' });
  });

  it('that it did not make leaves the reservation as it was', async () => {
    const after = await resolved(inDoubt, 'confirmed');
    expect(after).toMatchObject({ state: 'confirmed', rental: inDoubt.rental, view: inDoubt.view });
    expect([after?.change, after?.priceDrift]).toEqual([undefined, drift]);
  });

  it('of a part keeps what is known of the booking', async () => {
    const part: Change = { ...change, kinds: ['remark'], rental: sampleRental };
    const view = { ...sampleView, booked_differently: { sipp_code: 'MBMR' } };
    const after = await resolved({ ...inDoubt, view, change: part }, 'changed');
    expect([after?.priceDrift, after?.view.booked_differently]).toEqual([drift, { sipp_code: 'MBMR' }]);
  });

  it('restores no data that was erased meanwhile', async () => {
    const { personal: _erased, ...erased } = inDoubt;
    expect(await resolved(erased, 'changed')).not.toHaveProperty('personal');
  });

  it('stays in doubt while the booking is being cancelled: the supplier may refuse that', async () => {
    const repository = new MemoryRepository().has(inDoubt);
    await cancelInReview(repository.asRepository, inDoubt, 'not wanted');
    expect(repository.reservations.get(inDoubt.id)).toMatchObject({ state: 'cancel_unknown', change });
  });

  it('must exist', async () => {
    const booked = reservationIn('manual_review', { confirmationNumber: 'CN1' });
    await expect(resolved(booked, 'changed')).rejects.toThrow(ResolutionRefused);
  });
});

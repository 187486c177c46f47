import pg from 'pg';
import { describeWith } from '../support/binaries.js';
import { create, driver, fresh, offerOf, reservationOf } from '../support/booking.js';
import { portalPerson } from '../support/portal-account.js';
import { sharedGateway } from '../support/shared-gateway.js';

const shared = sharedGateway();

describeWith('initdb', 'redis-server')('a reservation that something else is changing', () => {
  test('is not resolved on its page, which says so, keeps what was typed, and resolves it later', async () => {
    const { client, gateway, postgres } = shared();
    const { offer_id } = await offerOf(client, 'alpine');
    const { reservation_id: id } = reservationOf(await create(client, { offer_id, driver: driver(fresh()) }));
    const operator = await portalPerson(shared(), { role: 'ops' });
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    await other.query('begin');
    await other.query('select 1 from reservations where id = $1 for update', [id]);
    const form = { to: 'cancelled', number: '', reason: 'Cancelled by phone.', evidence: 'call of Monday' };
    const resolve = () => operator.post(gateway.baseUrl, `/ops/reservations/${id}/resolve`, form);
    const late = await resolve();
    await other.query('rollback');
    await other.end();
    expect(late.status).toBe(400);
    expect(late.text).toContain('Something else is changing this reservation at the moment');
    expect(late.text).toContain('Nothing was recorded. Wait a few seconds, then send the form again.');
    expect(late.text).toContain('call of Monday');
    expect((await resolve()).location).toBe(`/ops/reservations/${id}?notice=reservation_resolved`);
  });
});

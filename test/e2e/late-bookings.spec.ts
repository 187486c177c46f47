import { describeWith } from '../support/binaries.js';
import {
  create,
  driver,
  eventually,
  fresh,
  offerOf,
  path,
  QUICK,
  read,
  reservationOf,
  SECRET,
  settled,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const shared = sharedGateway();
const simulators = () => shared().simulators;

/** A supplier that books this late has long been given up: the call timeout is 1 s, and the settle time 1 s. */
const LATE = 'alpine=slow(4500)';
const suppliers = { ...QUICK.suppliers, alpine: { timeoutMs: { ...QUICK.suppliers.alpine?.timeoutMs, book: 1_000 } } };

describeWith('initdb', 'redis-server')('a booking that a supplier makes after the gateway gave it up', () => {
  let postgres: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  beforeAll(async () => {
    postgres = await freshDatabase();
    const env = { ...simulators().env, DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET };
    const reservations = { ...QUICK.settings.reservations, lateCheckSeconds: [1, 3, 5, 10] };
    gateway = await startGateway({ env, config: { ...QUICK, suppliers, settings: { reservations } } });
    client = await Client.of(gateway);
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await postgres.dispose();
  });

  const command = (...words: string[]) =>
    gwInThread(['reservation', ...words], {
      DATABASE_URL: postgres.url,
      FORECOURT_SECRET: SECRET,
      DATA_DIR: gateway.dataFolder,
    });

  claim(
    ['operation', 'V2.3.3'],
    'A booking that a supplier makes after its reservation failed is found, reported and listed, and an operator can have it cancelled.',
    async () => {
      const lastName = fresh();
      const { offer_id } = await offerOf(client, 'alpine');
      const answer = await create(client, { offer_id, driver: driver(lastName) }, { scenario: LATE });
      const { reservation_id: id } = reservationOf(answer);
      await settled(client, id, ['failed']);
      expect(await simulators().bookings('alpine', lastName)).toEqual([]);
      const found = await settled(client, id, ['manual_review']);
      const [booking] = await simulators().bookings('alpine', lastName);
      expect(path(found)).toBe('pending unknown failed manual_review');
      expect(found.confirmation_number).toBe(booking?.confirmation);
      expect(await gateway.metrics()).toContain('forecourt_late_bookings_total{supplier="alpine"} 1');
      expect(command('unclear').stdout).toContain(`${id}\talpine\tmanual_review`);

      expect(command('cancel', id, '--reason', 'the renter booked elsewhere').status).toBe(0);
      expect(path(await settled(client, id, ['cancelled']))).toBe(
        'pending unknown failed manual_review cancel_unknown cancelled',
      );
      const [after] = await eventually(
        () => simulators().bookings('alpine', lastName),
        ([one]) => one?.status === 'cancelled',
      );
      expect([after?.status, (await read(client, id)).history.at(-3)?.reason]).toEqual([
        'cancelled',
        'the supplier made the booking after it was given up',
      ]);
    },
  );
});

import { configSchema } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { createLogger } from '../../src/config/logger.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { Delivery } from '../../src/mail/delivery.js';
import { Outbox } from '../../src/mail/outbox.js';
import { DeprecationNotices } from '../../src/portal/applications/deprecation-notices.js';
import { describeWith } from '../support/binaries.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { startGateway } from '../support/start-gateway.js';

const FORECOURT_SECRET = 'a-secret-of-the-application-tests-0123456789';
const PRODUCT = 'car_reservation';

describeWith('initdb')('notices of deprecation, on one PostgreSQL', () => {
  let postgres: TestDatabase;
  let mails: MailServer;
  const env = () => ({ DATABASE_URL: postgres.url, FORECOURT_SECRET });

  beforeAll(async () => {
    [postgres, mails] = await Promise.all([freshDatabase(), startMailServer()]);
    await (await startGateway({ env: env() })).stop();
  });
  afterAll(async () => {
    await mails.stop();
    await postgres.dispose();
  });
  beforeEach(async () => {
    await postgres.query('delete from notices_sent');
    await postgres.query('delete from outbox');
    await postgres.query("update accounts set email = null where email like '%@example.com'");
    await postgres.query("update product_versions set state = 'live', deprecated_at = null where product_id = $1", [
      PRODUCT,
    ]);
  });

  let count = 0;
  /**
   * An account with a verified address and these applications, subscribed unless stated otherwise; returns the address.
   */
  const account = async (
    applications: readonly { readonly state?: string; readonly subscribed?: boolean }[] = [{}],
    { verified = true } = {},
  ): Promise<string> => {
    const id = `n${++count}`;
    const email = `grace.${id}@example.com`;
    await postgres.query(
      "insert into accounts (id, environment, name, tier, email, verified_at) values ($1, 'sandbox', $2, $3, $4, $5)",
      [`acc_${id}`, 'Grace Sample', 'standard', email, verified ? new Date() : null],
    );
    for (const [index, { state = 'active', subscribed = true }] of applications.entries()) {
      const application = `app_${id}x${index}`;
      await postgres.query(
        "insert into applications (id, account_id, name, client_id, environment, tier, state) values ($1, $2, $3, $4, 'sandbox', 'standard', $5)",
        [application, `acc_${id}`, `Shop ${index}`, `client_${id}_${index}`, state],
      );
      if (subscribed)
        await postgres.query('insert into subscriptions (application_id, product_id) values ($1, $2)', [
          application,
          PRODUCT,
        ]);
    }
    return email;
  };
  const deprecate = (): void => {
    const words = ['products', 'deprecate', PRODUCT, '--version', 'v1', '--sunset', '2027-12-30', '--yes'];
    expect(gwInThread(words, env()).status).toBe(0);
  };
  const received = (): readonly string[] => mails.mails().map(({ to, subject }) => `${to} ${subject}`);

  test('two gateways that start concurrently send one email to each affected account, and none to any other', async () => {
    const told = [await account([{}, {}]), await account([{ state: 'suspended' }])];
    const notTold = [
      await account([{ state: 'deleted' }]),
      await account([{ subscribed: false }]),
      await account([{}], { verified: false }),
    ];
    deprecate();
    notTold.push(await account());
    for (let round = 0; round < 2; round += 1) {
      const gateways = await Promise.all([0, 1].map(() => startGateway({ env: { ...env(), SMTP_URL: mails.url } })));
      if (round === 0) {
        const [first, second] = [await mails.next(told[0] ?? ''), await mails.next(told[1] ?? '')];
        expect(first.subject).toBe('Car Reservation v1 is deprecated');
        expect(first.text).toMatch(
          /Hello Grace Sample,.*will be retired on 2027-12-30.*Your subscribed applications: Shop 0, Shop 1\..*\/products/s,
        );
        expect(second.text).toContain('Your subscribed applications: Shop 0.');
      }
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    }
    expect([...received()].sort()).toEqual(told.map((email) => `${email} Car Reservation v1 is deprecated`).sort());
    for (const email of notTold) expect(received().filter((line) => line.startsWith(email))).toEqual([]);
  });

  describe('the service of several gateways', () => {
    const databases: Database[] = [];
    const services: { readonly notices: DeprecationNotices; readonly delivery: Delivery }[] = [];

    beforeAll(async () => {
      const config = configSchema.parse({ secret: FORECOURT_SECRET, mail: { smtpUrl: mails.url } });
      const logger = createLogger('silent');
      for (let gateway = 0; gateway < 4; gateway += 1) {
        const database = await openDatabase(postgres.url, '');
        const outbox = new Outbox(database, config, loadKeys(config), logger);
        const delivery = new Delivery(outbox, config, logger);
        const site = { url: (path: string) => `https://cars.example.com${path}` };
        databases.push(database);
        services.push({
          notices: new DeprecationNotices(database, config, outbox, delivery, site, logger, 50),
          delivery,
        });
      }
    });
    afterAll(async () => {
      await Promise.all(services.map(({ notices }) => notices.beforeApplicationShutdown()));
      await Promise.all(services.map(({ delivery }) => delivery.onApplicationShutdown()));
      await Promise.all(databases.map((database) => database.close()));
    });
    const first = () => services[0]?.notices as DeprecationNotices;

    test('checking concurrently, they write each notice once', async () => {
      const emails = await Promise.all(Array.from({ length: 20 }, () => account()));
      deprecate();
      const written = await Promise.all(services.flatMap(({ notices }) => [notices.look(), notices.look()]));
      expect(written.reduce((sum, one) => sum + one, 0)).toBe(20);
      await Promise.all(emails.map((email) => mails.next(email)));
      expect(await first().look()).toBe(0);
      for (const email of emails) expect(received().filter((line) => line.startsWith(email)).length).toBe(1);
    });

    test('a notice that could not be written stays due', async () => {
      const email = await account();
      deprecate();
      await postgres.query('alter table outbox add constraint full_outbox check (false) not valid');
      await expect(first().look()).rejects.toThrow();
      expect(await postgres.query('select key from notices_sent')).toEqual([]);
      await postgres.query('alter table outbox drop constraint full_outbox');
      expect(await first().look()).toBe(1);
      expect((await mails.next(email)).subject).toBe('Car Reservation v1 is deprecated');
    });

    test('while the mail server is unavailable the email waits, and is delivered once when the server is back', async () => {
      const email = await account();
      deprecate();
      await mails.stop();
      expect(await first().look()).toBe(1);
      expect(await first().look()).toBe(0);
      await mails.start();
      await mails.next(email);
      expect(received().filter((line) => line.startsWith(email)).length).toBe(1);
    });

    // Last: from now on they check periodically.
    test('each checks periodically, so that later deprecations are announced too', async () => {
      const email = await account();
      for (const { notices } of services) notices.onApplicationBootstrap();
      deprecate();
      await mails.next(email);
      expect(received().filter((line) => line.startsWith(email)).length).toBe(1);
    });
  });
});

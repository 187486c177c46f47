import { randomBytes } from 'node:crypto';
import { TOTP } from 'otpauth';
import { describeWith } from '../support/binaries.js';
import {
  booked,
  create,
  driver,
  eventually,
  fresh,
  offerOf,
  on,
  QUICK,
  type Reservation,
  SECRET,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.js';
import { PortalPerson } from '../support/portal-person.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const PASSWORD = 'three quiet herons';
const TWO = randomBytes(32).toString('base64');
/** The list of each step of the first rotation (docs/authentication.md#rotate-a-key). */
const STEPS = { before: undefined, first: `0,2:${TWO}`, second: `2:${TWO}` } as const;
type Step = keyof typeof STEPS;

describeWith('redis-server', 'initdb')('gateways at different steps of a key rotation', () => {
  const shared = sharedGateway();
  let redis: RedisServer;
  let postgres: TestDatabase;
  let mail: MailServer;
  const gateways = new Map<Step, Gateway>();
  const clients = new Map<Step, Client>();

  const envOf = (step: Step) => ({
    ...shared().simulators.env,
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    SMTP_URL: mail.url,
    FORECOURT_SECRET: SECRET,
    TRUSTED_PROXIES: '127.0.0.1',
    ...(STEPS[step] === undefined ? {} : { CLIENT_SECRET_KEYS: STEPS[step], PERSONAL_DATA_KEYS: STEPS[step] }),
  });
  beforeAll(async () => {
    [redis, postgres, mail] = await Promise.all([startRedis(), freshDatabase(), startMailServer()]);
    const start = async (step: Step): Promise<void> => {
      const gateway = await startGateway({ env: envOf(step), config: QUICK });
      gateways.set(step, gateway);
      clients.set(step, await Client.of(gateway));
    };
    // Before the others, as in a rotation: what it creates at its start has the old key.
    await start('before');
    await Promise.all([start('first'), start('second')]);
  }, 180_000);
  afterAll(async () => {
    for (const client of clients.values()) client.close();
    await Promise.all([...gateways.values()].map((gateway) => gateway.stop()));
    await Promise.all([redis.dispose(), postgres.dispose(), mail.stop()]);
  });

  const at = (step: Step): Client => clients.get(step) as Client;
  const logOf = (step: Step): string => (gateways.get(step) as Gateway).child.output();

  /** A booking made at one gateway, and its repetition at another. */
  async function bookAt(step: Step) {
    const key = fresh('key');
    const body = { offer_id: (await offerOf(at(step), 'alpine')).offer_id, driver: driver(fresh()) };
    const reservation: Reservation = await booked(at(step), body, { key });
    return { id: reservation.reservation_id, repeat: (other: Step) => create(at(other), body, { key }) };
  }

  claim(
    'operation',
    'Rotated in two steps, keys never make a reservation or a second factor unreadable at a gateway one step behind or ahead.',
    async () => {
      for (const [made, ...others] of [
        ['before', 'first', 'second'],
        ['first', 'before', 'second'],
        ['second', 'first'],
      ] as const) {
        const { id, repeat } = await bookAt(made);
        for (const other of others) {
          const again = await repeat(other);
          expect([made, other, again.status, again.headers['idempotent-replayed']]).toEqual([made, other, 201, 'true']);
          expect([made, other, (await on(at(other), 'GET', id)).status]).toEqual([made, other, 200]);
        }
      }
      const { logIn } = await memberAt('second');
      expect(await logIn('first')).toEqual([303, '/account']);
    },
  );

  claim(
    'operation',
    'What is encrypted with a key that a gateway lacks is a 503 there that says that the booking is stored, and its log names the version of the key.',
    async () => {
      const { id, repeat } = await bookAt('second');
      const location = `/cars/reservation/v1/${id}`;
      const again = await repeat('before');
      expect([again.status, again.reasons, again.errors[0]?.cause]).toEqual([503, ['maintenance'], 'key_missing']);
      expect(again.errors[0]?.details).toMatch(/are stored.*same Idempotency-Key/);
      expect(again.headers).toMatchObject({ location, 'retry-after': '5', 'idempotent-retry': 'same-key' });
      for (const method of ['GET', 'DELETE'] as const) {
        const refused = await on(at('before'), method, id);
        expect([refused.status, refused.errors[0]?.cause, refused.headers.location]).toEqual([
          503,
          'key_missing',
          location,
        ]);
      }
      expect(
        await eventually(
          async () => logOf('before'),
          (log) => log.includes('key that is missing here'),
        ),
      ).toMatch(/"level":50.*"variable":"PERSONAL_DATA_KEYS","keyVersion":"2s"/);
      expect(logOf('before')).not.toContain(TWO);
      expect((await repeat('second')).status).toBe(201);
      expect((await on(at('second'), 'DELETE', id)).status).toBe(204);

      const { logIn } = await memberAt('second');
      expect(await logIn('before')).toEqual([503, undefined]);
      expect(await logIn('second')).toEqual([303, '/account']);
    },
  );

  test('each gateway logs at its start which keys it has, and after the rotation nothing needs the old key', async () => {
    expect(logOf('before')).toMatch(/"PERSONAL_DATA_KEYS":"encrypts with 0s"/);
    expect(logOf('first')).toMatch(/"PERSONAL_DATA_KEYS":"encrypts with 0s, also decrypts 2s"/);
    expect(logOf('second')).toMatch(/"CLIENT_SECRET_KEYS":"encrypts with 2s, also decrypts 0s"/);
    const { id } = await bookAt('before');
    const rotated = gwInThread(['keys', 'rotate'], envOf('second'));
    expect([rotated.status, rotated.stderr]).toEqual([
      0,
      expect.stringContaining('PERSONAL_DATA_KEYS encrypts with 2s'),
    ]);
    expect(await postgres.query("select id from reservations where personal not like '2s.%'")).toEqual([]);
    expect((await on(at('first'), 'GET', id)).status).toBe(200);
    expect((await on(at('before'), 'GET', id)).status).toBe(503);
  });

  let people = 0;
  /** A person whose second factor was set up at one gateway. `logIn` logs in at another, with status and redirect after the code. */
  async function memberAt(step: Step) {
    people += 1;
    const headers = { 'x-forwarded-for': `10.9.0.${people}` };
    const email = `member-${people}@example.com`;
    const personAt = (where: Step) => new PortalPerson((gateways.get(where) as Gateway).baseUrl, headers);
    const who = personAt(step);
    await who.submit('/signup', { name: 'Ada Sample', email });
    await who.follow(linkIn(await mail.next(email), '/verify/'), { new_password: PASSWORD });
    await who.submit('/login', { email, password: PASSWORD });
    const page = await who.get('/account/two-factor');
    const secret = (/class="key">([^<]+)</.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
    const code = () => new TOTP({ secret, digits: 6, period: 30 }).generate();
    expect((await who.fill(page, '/account/two-factor', { code: code() })).status).toBe(200);
    const logIn = async (where: Step) => {
      await postgres.query('update second_factors set last_step = 0');
      const person = personAt(where);
      await person.submit('/login', { email, password: PASSWORD, next: '/account' });
      const { status, location } = await person.submit('/login/code', { code: code(), next: '/account' });
      return [status, location];
    };
    return { logIn };
  }
});

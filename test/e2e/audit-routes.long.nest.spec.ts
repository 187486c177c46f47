import { type DynamicModule, type ForwardReference, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { sql } from 'drizzle-orm';
import { TOTP } from 'otpauth';
import { AccountLinks } from '../../src/accounts/account-links.js';
import { ownerOf, Passwords } from '../../src/accounts/passwords.js';
import { AppModule, type Boot } from '../../src/app.module.js';
import { configSchema } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { sampleReservation } from '../../src/reservations/fixtures/sample-reservation.js';
import { ReservationRepository } from '../../src/reservations/reservation.repository.js';
import { describeWith } from '../support/binaries.js';
import { freePort } from '../support/child.js';
import { withoutTriggers } from '../support/migrated-database.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { FORECOURT_SECRET } from '../support/session.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';
import { changedUnrecorded } from '../support/unrecorded.js';

type Module = Type<unknown> | DynamicModule | ForwardReference<() => Module>;

/** All controllers of a module and those that it imports. */
function controllersOf(module: Module, seen = new Set<unknown>()): readonly Type<object>[] {
  if ('forwardRef' in module) return controllersOf(module.forwardRef(), seen);
  const own = 'module' in module ? module.module : module;
  if (seen.has(module)) return [];
  seen.add(module);
  const { imports = [], controllers = [] } = 'module' in module ? module : {};
  const listed = (name: string): unknown[] => Reflect.getMetadata(name, own) ?? [];
  return [
    ...([...controllers, ...listed('controllers')] as Type<object>[]),
    ...[...imports, ...listed('imports')].flatMap((one) => controllersOf(one as Module, seen)),
  ];
}

/** Method and path of every route that isn't only read, from what Nest routes by. */
function changingRoutes(): readonly string[] {
  const config = configSchema.parse({ secret: FORECOURT_SECRET });
  const module = AppModule.with({ loaded: { config } } as unknown as Boot);
  const routes = controllersOf(module).flatMap((controller) => {
    const prefix: string = Reflect.getMetadata(PATH_METADATA, controller);
    const handlers = Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).map(({ value }) => value);
    return handlers
      .filter((handler) => typeof handler === 'function' && Reflect.hasMetadata(METHOD_METADATA, handler))
      .flatMap((handler) => {
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
        const paths: string[] = [Reflect.getMetadata(PATH_METADATA, handler)].flat();
        return paths.map(
          (path) =>
            `${method} /${[prefix, path]
              .flatMap((part) => part.split('/'))
              .filter(Boolean)
              .join('/')}`,
        );
      });
  });
  return [...new Set(routes.filter((route) => !route.startsWith('GET ')))].sort();
}

const PASSWORD = 'three quiet herons';
const NEW_PASSWORD = 'nine loud magpies';

/** Why a route isn't in the audit log. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'POST /cars/catalog/v1/vehicles': 'a search',
  'POST /cars/catalog/v1/vehicles/rates': 'a price check',
  'POST /applications/:id/webhooks/:endpoint/replay': 'sends events again; they have a log of their own',
  'POST /applications/:id/webhooks/:endpoint/test': 'sends an event, which is in the log of events',
  'POST /cars/webhooks/v1/endpoints': 'recorded by the store, as for gw webhooks add',
  'PATCH /cars/webhooks/v1/endpoints/:endpoint_id': 'recorded by the store, as for gw webhooks disable',
  'DELETE /cars/webhooks/v1/endpoints/:endpoint_id': 'recorded by the store, as for gw webhooks delete',
  'POST /cars/webhooks/v1/endpoints/:endpoint_id/secret': 'recorded by the store, as for gw webhooks rotate',
  'POST /cars/webhooks/v1/endpoints/:endpoint_id/replay': 'sends events again; they have a log of their own',
  'POST /cars/webhooks/v1/endpoints/:endpoint_id/test': 'sends an event, which is in the log of events',
  'POST /cars/reservation/v1': 'in reservation_events, by a trigger',
  'PATCH /cars/reservation/v1/:reservation_id': 'in reservation_events, by a trigger',
  'PUT /cars/reservation/v1/:reservation_id': 'in reservation_events, by a trigger',
  'DELETE /cars/reservation/v1/:reservation_id': 'in reservation_events, by a trigger',
  'PATCH /cars/reservation/v1': 'without an id: 400',
  'PUT /cars/reservation/v1': 'without an id: 400',
  'DELETE /cars/reservation/v1': 'without an id: 400',
  'PUT /sandbox/clock/v1': 'recorded by the store, as on the page',
  'DELETE /sandbox/clock/v1': 'recorded by the store, as on the page',
  'POST /mcp': 'calls operations of this list',
  'DELETE /mcp': 'always 405',
  'POST /oauth/token/v1': 'begins a session of an application',
  'POST /oauth/revoke/v1': 'ends one, by its holder',
  'POST /oauth/introspect/v1': 'a read',
  'POST /console/token': 'begins a session of an application',
  'POST /login': 'begins a session; attempts are limited',
  'POST /logout': 'ends one session, by its owner',
  'POST /confirm': 'renews a session',
  'POST /signup': 'all addresses can be entered: what is recorded is that the owner of one activates the account',
  'POST /resend': 'sends an email',
  'POST /reset': 'sends an email; what is recorded is the new password',
  'POST /reset/link': 'shows the form behind a link',
  'POST /verify/link': 'shows the form behind a link',
  'POST /outbox/link': 'opens a page of the sandbox',
};

describeWith('redis-server', 'initdb')('the audit log of routes', () => {
  const shared = sharedGateway();
  let production: Gateway;
  let database: Database;
  let links: AccountLinks;
  beforeAll(async () => {
    const { postgres, redis } = shared();
    const livePort = await freePort();
    const real = { name: 'Real Rent', adapter: 'ota-xml', order: 1, url: 'http://127.0.0.1:9/', brands: ['Real'] };
    production = await startGateway({
      env: {
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        FORECOURT_SECRET,
        FORECOURT_ENV: 'production',
        SMTP_URL: 'smtp://127.0.0.1:9',
        PUBLIC_URL: `http://live.example.com:${livePort}`,
        PORT: String(livePort),
      },
      config: { suppliers: { real: { ...real, environments: ['production'] } } },
    });
    database = await openDatabase(postgres.url, '', { migrations: 'wait' });
    const config = configSchema.parse({ secret: FORECOURT_SECRET });
    links = new AccountLinks(database, config, loadKeys(config));
  });
  afterAll(async () => {
    await production?.stop();
    await database?.close();
  });

  const run = (text: string) => database.rows(sql.raw(text));
  let count = 0;
  /** A developer with a password, an application, a secret and a subscription. */
  async function developer(): Promise<PortalPerson & { readonly app: string; readonly secret: string }> {
    count += 1;
    const person = await portalPerson(shared());
    const hash = await new Passwords().hash(ownerOf('test', undefined), PASSWORD);
    await run(`update accounts set password_hash = '${hash}' where id = '${person.accountId}'`);
    const suffix = `r${count}${Date.now()}`;
    const [app, secret] = [`app_${suffix}`, `sec_${suffix}`];
    await run(`insert into applications (id, account_id, environment, client_id, name, tier)
      values ('${app}', '${person.accountId}', 'sandbox', 'client_${suffix}', 'Shop', 'standard')`);
    await run(`insert into client_secrets (id, application_id, hmac) values ('${secret}', '${app}', 'x')`);
    await run(`insert into subscriptions (application_id, product_id) values ('${app}', 'car_reservation')`);
    return { ...person, app, secret };
  }

  interface Sent {
    readonly cookie?: string | undefined;
    readonly form?: Readonly<Record<string, string>> | undefined;
    readonly baseUrl?: string;
  }

  /** The route whose form is sent while nothing can be recorded; then the tables that it changed. */
  const unrecorded: { path?: RegExp | undefined; changed?: readonly string[] | undefined } = {};

  async function post(path: string, sent: Sent): ReturnType<typeof send> {
    if (!unrecorded.path?.test(path)) return await send(path, sent);
    let answer: Awaited<ReturnType<typeof send>> | undefined;
    const change = async () => {
      answer = await send(path, sent);
    };
    unrecorded.changed = await changedUnrecorded(database, change);
    return answer as Awaited<ReturnType<typeof send>>;
  }

  async function send(path: string, { cookie = '', form = {}, baseUrl = shared().gateway.baseUrl }: Sent) {
    const headers = { cookie, origin: baseUrl, 'x-request-id': 'req_of_this_test' };
    const body = new URLSearchParams(form);
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', redirect: 'manual', headers, body });
    const set = answer.headers.getSetCookie().find((one) => /^(?:__Host-)?forecourt=/.test(one));
    return { status: answer.status, text: await answer.text(), cookie: set?.split(';')[0] };
  }
  type Sending = () => ReturnType<typeof post>;

  /** Sends a form to a route as the owner of an application. */
  const own = (path: string, form?: Sent['form'], before?: (app: string) => Promise<unknown>): Sending => {
    return async () => {
      const { app, secret, cookie } = await developer();
      await before?.(app);
      return await post(path.replace(':id', app).replace(':secret', secret), { cookie, form });
    };
  };

  /** A developer who turns on the second factor; `done` is the response to the last form. */
  async function enrolling() {
    const person = await developer();
    const page = await person.get(shared().gateway.baseUrl, '/account/two-factor');
    const secret = (/class="key">([^<]+)</.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
    const offer = /name="offer" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const code = () => new TOTP({ secret, digits: 6, period: 30 }).generate();
    const done = await post('/account/two-factor', { cookie: person.cookie, form: { offer, code: code() } });
    return { person, done, code };
  }

  /** With a second factor; the code in the form is right. */
  const withFactor = (path: string): Sending => {
    return async () => {
      const { person, done, code } = await enrolling();
      await run(`update second_factors set last_step = 0 where account_id = '${person.accountId}'`);
      return await post(path, { cookie: done.cookie, form: { code: code() } });
    };
  };

  const link = (purpose: 'verify' | 'reset', path: string, form: Readonly<Record<string, string>>): Sending => {
    return async () => {
      const { accountId } = await developer();
      if (purpose === 'verify') await run(`update accounts set verified_at = null where id = '${accountId}'`);
      return await post(path, { form: { ...form, secret: await links.make(accountId, purpose) } });
    };
  };

  /** A reservation of the application that needs a review. */
  async function inReview(app: string): Promise<string> {
    const config = configSchema.parse({ secret: FORECOURT_SECRET });
    const reservation = sampleReservation({ applicationId: app });
    await new ReservationRepository(database, config, loadKeys(config)).insert(reservation, undefined);
    await withoutTriggers(database, `update reservations set state = 'manual_review' where id = '${reservation.id}'`);
    return reservation.id;
  }

  /** Sends a form as an operator of the sandbox, who may have made changes in this hour. */
  const byOperator = (
    prepare: (developer: { readonly app: string }) => Promise<{ readonly path: string; readonly form: Sent['form'] }>,
    changes = 0,
  ): Sending => {
    return async () => {
      const { path, form } = await prepare(await developer());
      const { accountId, cookie } = await portalPerson(shared(), { environment: 'sandbox', role: 'ops' });
      await run(`insert into audit_events (actor, action, subject, environment, channel)
        select '${accountId}', 'tested', 'x', 'sandbox', 'page' from generate_series(1, ${changes})`);
      return await post(path, { cookie, form });
    };
  };

  const application = '/applications/:id';
  const hook = `${application}/webhooks/whe_${'0'.repeat(24)}`;
  const withWebhooks = (app: string) =>
    run(`insert into subscriptions (application_id, product_id) values ('${app}', 'car_webhooks')`);
  /** One endpoint at a time has the id. */
  const withEndpoint = async (app: string) => {
    await run(`delete from webhook_endpoints where id = 'whe_${'0'.repeat(24)}'`);
    await run(`insert into webhook_endpoints (id, environment, account_id, application_id, url, secret)
      values ('whe_${'0'.repeat(24)}', 'sandbox', 'acc_x', '${app}', 'https://hooks.example.com/', 'x')`);
  };
  const resolution = async ({ app }: { readonly app: string }) => ({
    path: `/ops/reservations/${await inReview(app)}/resolve`,
    form: { to: 'failed', number: '', reason: 'Not yet.', evidence: 'by phone' },
  });
  /** Routes that change something, and a request that does. */
  const CHANGES: Readonly<Record<string, Sending>> = {
    'POST /account/data/delete': async () => {
      const { email, cookie } = await developer();
      return await post('/account/data/delete', { cookie, form: { email } });
    },
    'POST /account/name': own('/account/name', { name: 'Grace', name_password: PASSWORD }),
    'POST /account/password': own('/account/password', { password: PASSWORD, new_password: NEW_PASSWORD }),
    'POST /account/two-factor': async () => (await enrolling()).done,
    'POST /account/two-factor/codes': withFactor('/account/two-factor/codes'),
    'POST /account/two-factor/off': withFactor('/account/two-factor/off'),
    'POST /applications': own('/applications', { name: 'New', description: '' }),
    'POST /applications/:id/certification': own(`${application}/certification`),
    'POST /applications/:id/clock': own(`${application}/clock`, { outcome: 'no_show' }),
    'POST /applications/:id/clock/reset': own(`${application}/clock/reset`, {}, (app) =>
      run(`insert into test_clocks (application_id, ahead_ms, outcome) values ('${app}', 1000, 'completed')`),
    ),
    'POST /applications/:id/delete': own(`${application}/delete`, { name: 'Shop' }),
    'POST /applications/:id/description': own(`${application}/description`, { name: 'Other', description: '' }),
    'POST /applications/:id/origins': own(`${application}/origins`, { origins: 'https://shop.example.com' }),
    'POST /applications/:id/production-access': own(`${application}/production-access`, { message: 'Please.' }),
    'POST /applications/:id/redirect-url': own(`${application}/redirect-url`, { redirect_url: 'https://example.com/' }),
    'POST /applications/:id/resume': own(`${application}/resume`, {}, (app) =>
      run(`update applications set state = 'suspended' where id = '${app}'`),
    ),
    'POST /applications/:id/scenario': own(`${application}/scenario`, { scenario: 'alpine=timeout' }),
    'POST /applications/:id/secrets': own(`${application}/secrets`, { overlap: 'day' }),
    'POST /applications/:id/secrets/:secret/revoke': own(`${application}/secrets/:secret/revoke`),
    'POST /applications/:id/subscriptions': own(`${application}/subscriptions`),
    'POST /applications/:id/subscriptions/:product': own(`${application}/subscriptions/car_availability`),
    'POST /applications/:id/subscriptions/:product/end': own(`${application}/subscriptions/car_reservation/end`),
    'POST /applications/:id/suspend': own(`${application}/suspend`),
    'POST /applications/:id/webhooks': own(
      `${application}/webhooks`,
      { url: 'https://hooks.example.com/' },
      withWebhooks,
    ),
    'POST /applications/:id/webhooks/:endpoint/delete': own(`${hook}/delete`, {}, withEndpoint),
    'POST /applications/:id/webhooks/:endpoint/secret': own(`${hook}/secret`, { overlap: 'day' }, withEndpoint),
    'POST /applications/:id/webhooks/:endpoint/state': own(`${hook}/state`, { state: 'disabled' }, withEndpoint),
    'POST /ops/access-requests/:id': async () => {
      const { app } = await developer();
      const { cookie } = await portalPerson(shared(), { environment: 'production', role: 'ops' });
      await run(`insert into launch_requests (id, application_id, message) values ('lau_${count}', '${app}', 'm')`);
      const form = { decision: 'refuse', reason: 'Not yet.', confirmed: 'yes' };
      return await post(`/ops/access-requests/lau_${count}`, { cookie, form, baseUrl: production.baseUrl });
    },
    'POST /ops/applications/:id/limits': byOperator(async ({ app }) => ({
      path: `/ops/applications/${app}/limits`,
      form: { tier: 'demo_throttled', account_tier: 'demo', limits_reason: 'Not yet.' },
    })),
    'POST /ops/applications/:id/state': byOperator(async ({ app }) => ({
      path: `/ops/applications/${app}/state`,
      form: { state: 'suspended', reason: 'Not yet.' },
    })),
    'POST /ops/commands/:id': byOperator(async ({ app }) => ({
      path: '/ops/commands/setApplicationOrigins',
      form: { application: app, origins: 'https://shop.example.com', reason: 'Not yet.', confirmed: 'yes' },
    })),
    'POST /ops/reservations/:id/resolve': byOperator(resolution),
    'POST /ops/suppliers/:id/switch': byOperator(async () => ({
      path: '/ops/suppliers/bravo/switch',
      // The state that it has, because other specs use the same gateway.
      form: { state: 'live', until: '', reason: 'Not yet.', confirmed: 'yes' },
    })),
    'POST /login/code': async () => {
      const { person, done } = await enrolling();
      const { cookie } = await post('/login', { form: { email: person.email, password: PASSWORD } });
      const [, code = ''] = /<code>([a-z2-9]{5}-[a-z2-9]{5})<\/code>/.exec(done.text) ?? [];
      return await post('/login/code', { cookie, form: { code } });
    },
    'POST /logout/everywhere': own('/logout/everywhere'),
    'POST /reset/password': link('reset', '/reset/password', { new_password: NEW_PASSWORD }),
    'POST /verify': link('verify', '/verify', { name: 'Ada', new_password: NEW_PASSWORD }),
  };
  /** What is recorded before the last form of a route. */
  const BEFORE = ['second_factor_added'];

  test('every route that may change something is one whose change is recorded, or has a reason not to be', () => {
    expect([...Object.keys(CHANGES), ...Object.keys(EXCEPTIONS)].sort()).toEqual(changingRoutes());
  });

  test.each(Object.keys(CHANGES))('%s is recorded with the account, the address and the request', async (route) => {
    const [last] = await database.rows<{ id: string }>(sql`select coalesce(max(id), 0)::text as id from audit_events`);
    expect((await CHANGES[route]?.())?.status).toBeLessThan(400);
    const added = await database.rows<{ action: string }>(
      sql`select * from audit_events where id > ${last?.id ?? '0'}`,
    );
    const made = added.filter(({ action }) => added.length === 1 || !BEFORE.includes(action));
    expect(made.length).toBeGreaterThan(0);
    const isOperators = route.startsWith('POST /ops/');
    for (const event of made)
      expect(event).toMatchObject({
        actor: expect.stringMatching(/^acc_/),
        channel: 'page',
        // A deleted account's addresses are erased, soon.
        ...(route === 'POST /account/data/delete' ? {} : { address: '127.0.0.1' }),
        request_id: 'req_of_this_test',
        environment: route === 'POST /ops/access-requests/:id' ? 'production' : 'sandbox',
        reason: isOperators ? 'Not yet.' : null,
      });
  });

  test('an operator who made 300 changes in an hour resolves no reservation', async () => {
    const forms: Awaited<ReturnType<typeof resolution>>[] = [];
    const prepare = async (made: { readonly app: string }) => (forms[0] = await resolution(made));
    expect((await byOperator(prepare, 300)()).status).toBe(429);
    const id = forms[0]?.path.split('/')[3];
    expect(await run(`select state from reservations where id = '${id}'`)).toEqual([{ state: 'manual_review' }]);
  });

  test.each(Object.keys(CHANGES))('%s changes nothing if the change cannot be recorded', async (route) => {
    unrecorded.path = new RegExp(`^${route.replace('POST ', '').replaceAll(/:\w+/g, '[^/]+')}$`);
    try {
      expect((await CHANGES[route]?.())?.status).toBeGreaterThanOrEqual(400);
      expect(unrecorded.changed).toEqual([]);
    } finally {
      unrecorded.path = unrecorded.changed = undefined;
    }
  });
});

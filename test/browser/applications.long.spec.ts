import type { Browser } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import {
  axeFindings,
  overflow,
  type Person,
  personAt,
  startBrowser,
  tabTo,
  windowFindings,
} from '../support/browser.js';
import type { Client } from '../support/client.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { locationsPath } from '../support/rental.js';
import { browserCookie, FORECOURT_SECRET } from '../support/session.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const LONG = 'Verylongnamewithoutanyblankinitthatdoesnotfitintoanarrowpage';

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('pages of applications in a browser', () => {
  const running = sharedGateway();
  let gateway: Gateway;
  let production: Gateway;
  let client: Client;
  let browser: Browser;
  let ada: PortalPerson;
  let ops: PortalPerson;

  beforeAll(async () => {
    browser = await startBrowser();
    ({ gateway, client } = running());
    const { postgres, redis } = running();
    const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET };
    production = await startGateway({ env: { ...env, FORECOURT_ENV: 'production' } });
    ada = await portalPerson(running());
    ops = await portalPerson(running(), { role: 'ops', environment: 'production' });
  });
  afterAll(async () => {
    await browser.close();
    await production.stop();
  });

  const openAt = async (
    { baseUrl }: Gateway,
    { cookie }: PortalPerson,
    options: Parameters<typeof personAt>[2] = {},
  ): Promise<Person> => {
    const person = await personAt(browser, baseUrl, options);
    await person.context.addCookies([browserCookie(cookie)]);
    return person;
  };
  const open = (options: Parameters<typeof personAt>[2] = {}) => openAt(gateway, ada, options);

  test.each([true, false])(
    'by keyboard alone (scripts: %p) a person creates an application, reads its secret and subscribes it',
    async (withScripts) => {
      const { page, context, offences } = await open({ javaScriptEnabled: withScripts });
      await page.goto('/applications');
      await tabTo(page, page.getByRole('link', { name: 'New application' }));
      await page.keyboard.press('Enter');
      await page.waitForURL('**/applications/new');
      await tabTo(page, page.getByLabel('Name'));
      await page.keyboard.type(`By keyboard ${withScripts}`);
      await page.keyboard.press('Tab');
      await page.keyboard.type('Sells cars.');
      await tabTo(page, page.getByRole('button', { name: 'Create' }));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Credentials' }).waitFor();
      const [client_id, client_secret] = [
        await page.locator('#client-id').innerText(),
        await page.locator('#client-secret').innerText(),
      ];
      await tabTo(page, page.getByRole('link', { name: 'subscriptions' }));
      await page.keyboard.press('Enter');
      await page.waitForURL('**/applications/app_*');
      await tabTo(page, page.getByRole('button', { name: 'Subscribe to Location Keyword Search' }));
      await page.keyboard.press('Enter');
      await page.waitForURL('**?notice=subscribed');
      expect(await page.getByRole('status').innerText()).toMatch(/^Subscribed\./);

      const minted = await client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
      expect((await client.get(locationsPath('BOS'), { token: minted.body.access_token })).status).toBe(200);
      expect(offences).toEqual([]);
      await context.close();
    },
  );

  test('a copy button copies, says so however often it is pressed, and then says again what it does', async () => {
    const { page, context, offences } = await open();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/applications/new');
    await page.getByLabel('Name').fill('To be copied');
    await page.getByRole('button', { name: 'Create' }).click();
    const button = page.locator('[data-copy=client-secret]');
    await button.click();
    await page.getByRole('button', { name: 'Copied' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await page.locator('#client-secret').innerText(),
    );
    await page.getByRole('button', { name: 'Copy secret' }).waitFor({ timeout: 5_000 });
    expect(offences).toEqual([]);
    await context.close();
  });

  test.each([true, false])(
    'by keyboard alone (scripts: %p) ops refuse a request, read why they may not yet, and approve it',
    async (withScripts) => {
      const { page, context, offences } = await openAt(production, ops, { javaScriptEnabled: withScripts });
      const name = `To go live ${withScripts}`;
      const { text } = await ada.post(gateway.baseUrl, '/applications', { name, description: '' });
      const [, id = ''] = /href="\/applications\/(app_[^"#]+)"/.exec(text) ?? [];
      await ada.post(gateway.baseUrl, `/applications/${id}/subscriptions`);
      await ada.post(gateway.baseUrl, `/applications/${id}/production-access`, { message: 'A shop.' });
      const request = page.getByRole('region', { name });
      await page.goto('/applications');
      await tabTo(page, page.getByRole('link', { name: 'Production access requests' }));
      await page.keyboard.press('Enter');
      await tabTo(page, request.getByRole('link', { name: `Review ${name}` }));
      await page.keyboard.press('Enter');
      const form = await page.locator('main form.stack').evaluate((own) => own.scrollHeight - own.clientHeight);
      expect(form).toBeLessThanOrEqual(0);
      await tabTo(page, page.getByRole('button', { name: 'Reject' }));
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Reason').getAttribute('aria-invalid')).toBe('true');
      await tabTo(page, page.getByLabel('Reason'));
      await page.keyboard.type('Welcome.');
      await tabTo(page, page.getByRole('button', { name: 'Approve' }));
      await page.keyboard.press('Enter');
      await tabTo(page, page.getByRole('button', { name: 'Approve the request' }));
      await page.keyboard.press('Enter');
      await page.waitForURL('**/access-requests?notice=access_approved');
      expect(await request.innerText()).toMatch(/Approved.*Welcome\./s);
      expect(offences).toEqual([]);
      await context.close();
    },
  );

  describe('every page', () => {
    let paths: Readonly<Record<string, string>>;

    beforeAll(async () => {
      const site = gateway.baseUrl;
      const { text } = await ada.post(site, '/applications', {
        name: LONG,
        description: `What it does.\n${LONG.repeat(4)}`,
      });
      const [, id = ''] = /href="\/applications\/(app_[^"#]+)"/.exec(text) ?? [];
      const application = `/applications/${id}`;
      await ada.post(site, `${application}/subscriptions/car_location_keyword_search`);
      await ada.post(site, `${application}/redirect-url`, {
        redirect_url: `https://shop.example.com/${'callback/'.repeat(40)}`,
      });
      await ada.post(site, `${application}/secrets`, { overlap: 'day' });
      await ada.post(site, `${application}/production-access`, { message: `A shop.\n${LONG.repeat(4)}` });
      const [secret] = await running().postgres.query('select id from client_secrets where application_id = $1', [id]);
      await running().postgres.query(
        "update product_versions set state = 'deprecated', deprecated_at = now(), sunset_at = now() where minor = 0 and patch = 1",
      );
      paths = {
        products: '/products',
        applications: '/applications?notice=deleted',
        'new application': '/applications/new',
        application: `${application}?notice=subscribed`,
        credentials: `${application}/credentials`,
        settings: `${application}/settings`,
        'new secret': `${application}/secrets/new`,
        'revoke a secret': `${application}/secrets/${secret?.id}/revoke`,
        delete: `${application}/delete`,
        'request production access': `${application}/production-access`,
      };
    });

    test('fits a narrow and a wide dark window, has no serious axe finding in either, and keeps to its host and policy', async () => {
      const operators = { 'access requests': '/ops/access-requests', 'their applications': '/applications' };
      const found: Record<string, unknown> = {};
      for (const [at, person, all] of [
        [gateway, ada, paths],
        [production, ops, operators],
      ] as const) {
        const { page, context, offences } = await openAt(at, person, { width: 360 });
        for (const [name, path] of Object.entries(all)) {
          await page.goto(path, { waitUntil: 'load' });
          found[name] = [page.url().endsWith(path), await windowFindings(page)];
        }
        expect(offences).toEqual([]);
        await context.close();
      }
      const names = Object.keys({ ...paths, ...operators });
      expect(found).toEqual(Object.fromEntries(names.map((name) => [name, [true, []]])));
    });

    test('a refused form at 360 px fits its window and has no serious axe finding', async () => {
      const { page, context } = await open({ width: 360 });
      await page.goto(paths.settings ?? '');
      await page.getByLabel('OAuth redirect URL').fill(`http://${'x'.repeat(300)}`);
      await page.getByRole('button', { name: 'Save redirect URL' }).click();
      await page.getByRole('alert').waitFor();
      expect([await overflow(page), await axeFindings(page)]).toEqual([0, []]);
      await context.close();
    });
  });
});

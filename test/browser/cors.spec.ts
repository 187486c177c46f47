import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { startBrowser } from '../support/browser.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { locationsPath } from '../support/rental.js';
import { browserCookie } from '../support/session.js';
import { sharedGateway } from '../support/shared-gateway.js';

/** What a page got: status and headers, or why the browser gave it nothing. */
interface Got {
  readonly status?: number;
  readonly requestId?: string | null;
  readonly limit?: string | null;
  readonly failure?: string;
}

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('calls from pages of other origins', () => {
  const running = sharedGateway();
  const pages: Server[] = [];
  let browser: Browser;
  let ada: PortalPerson;
  let application: string;
  let token: string;
  let [shop, other] = ['', ''];

  beforeAll(async () => {
    browser = await startBrowser();
    ada = await portalPerson(running());
    [shop, other] = [await site(), await site()];
    const { baseUrl } = running().gateway;
    const created = await ada.post(baseUrl, '/applications', { name: 'Browser app', description: '' });
    application = /href="\/applications\/(app_[^"#]+)"/.exec(created.text)?.[1] ?? '';
    await ada.post(baseUrl, `/applications/${application}/subscriptions`);
    const { text } = await ada.get(baseUrl, `/applications/${application}/credentials`);
    const shown = (id: string) => new RegExp(`id="${id}[^"]*"[^>]*>([^<]+)<`).exec(text)?.[1] ?? '';
    const headers = { client_id: shown('client-id'), client_secret: /fcs_[\w-]+/.exec(text)?.[0] ?? '' };
    token = (await running().client.get('/oauth/token/v1', { token: null, headers })).body.access_token;
  });
  afterAll(async () => {
    await browser.close();
    for (const page of pages) page.close();
  });

  /** The origin of a server with an empty page. */
  async function site(): Promise<string> {
    const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>Shop'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    pages.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Calls the API with the token from a page of `origin`, with a header that needs a preflight. */
  async function callFrom(origin: string, path = locationsPath('boston')): Promise<Got> {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(origin);
      return await page.evaluate(
        async ([url, bearer]) => {
          try {
            const headers = { authorization: `Bearer ${bearer}`, 'x-request-id': 'from-a-page-1' };
            const answer = await fetch(url ?? '', { headers });
            await answer.json();
            const [requestId, limit] = [answer.headers.get('x-request-id'), answer.headers.get('ratelimit')];
            return { status: answer.status, requestId, limit };
          } catch (error) {
            return { failure: String(error) };
          }
        },
        [`${running().gateway.baseUrl}${path}`, token],
      );
    } finally {
      await context.close();
    }
  }

  test('the page of a registered origin reads answers and their headers; other pages, and before and after, none', async () => {
    const { baseUrl } = running().gateway;
    const refused = { failure: 'TypeError: Failed to fetch' };
    expect(await callFrom(shop)).toEqual(refused);
    const context = await browser.newContext({ baseURL: baseUrl });
    await context.addCookies([browserCookie(ada.cookie)]);
    const settings = await context.newPage();
    await settings.goto(`/applications/${application}/settings`);
    const save = async (text: string): Promise<void> => {
      await settings.goto(`/applications/${application}/settings`);
      await settings.getByLabel('Origins of pages that call the API').fill(text);
      await settings.getByRole('button', { name: 'Save web origins' }).click();
    };
    await save(`${shop}/app`);
    expect(await settings.locator('#origins-problem').innerText()).toBe(
      `An origin has no path: write ${shop} instead of ${shop}/app`,
    );
    await save(`${shop}\nhttps://shop.example.com`);
    await settings.waitForURL('**?notice=saved');
    expect(await settings.getByText(`set the web origins: ${shop}, https://shop.example.com`).count()).toBe(1);

    const read = { requestId: 'from-a-page-1', limit: expect.stringContaining('r=') };
    expect(await callFrom(shop)).toMatchObject({ status: 200, ...read });
    expect(await callFrom(shop, '/cars/locations/v1/?country_code=XX')).toMatchObject({ status: 400, ...read });
    expect(await callFrom(other)).toEqual(refused);

    await save('');
    await settings.waitForURL('**?notice=saved');
    expect(await callFrom(shop)).toEqual(refused);
    await context.close();
  });

  test('an origin that another application has registered passes the preflight, but its page reads nothing', async () => {
    const { baseUrl } = running().gateway;
    const grace = await portalPerson(running());
    const created = await grace.post(baseUrl, '/applications', { name: 'Other app', description: '' });
    const id = /href="\/applications\/(app_[^"#]+)"/.exec(created.text)?.[1] ?? '';
    expect((await grace.post(baseUrl, `/applications/${id}/origins`, { origins: other })).status).toBe(303);
    const preflight = await fetch(`${baseUrl}${locationsPath('boston')}`, {
      method: 'OPTIONS',
      headers: { origin: other, 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(other);
    expect(await callFrom(other)).toEqual({ failure: 'TypeError: Failed to fetch' });
  });
});

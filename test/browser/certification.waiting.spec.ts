import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { personAt, startBrowser, type Window, windowFindings } from '../support/browser.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { locationsPath } from '../support/rental.js';
import { browserCookie } from '../support/session.js';
import { sharedGateway } from '../support/shared-gateway.js';

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('the certification of an application in a browser', () => {
  const running = sharedGateway();
  let browser: Browser;
  let ada: PortalPerson;
  let path: string;

  beforeAll(async () => {
    browser = await startBrowser();
    ada = await portalPerson(running());
    const { gateway, client } = running();
    const { text } = await ada.post(gateway.baseUrl, '/applications', { name: 'Judged', description: '' });
    const id = /href="\/applications\/(app_[^"#]+)"/.exec(text)?.[1] ?? '';
    path = `/applications/${id}/certification`;
    await ada.post(gateway.baseUrl, `/applications/${id}/subscriptions/car_location_keyword_search`);
    const [client_id = '', client_secret = ''] = ['client-id', 'client-secret'].map(
      (name) => new RegExp(`id="${name}"[^>]*>([^<]+)`).exec(text)?.[1] ?? '',
    );
    const minted = await client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
    const token = minted.body.access_token;
    for (let times = 0; times < 3; times += 1) await client.get(locationsPath(''), { token });
    for (let times = 0; times < 6; times += 1) await client.get(locationsPath('BOS'), { token });
    // Nine calls and the one for the token.
    await eventually(
      () => running().postgres.query('select 1 from request_log where application_id = $1', [id]),
      ({ length }) => length === 10,
    );
  });
  afterAll(() => browser.close());

  test('at any width, light or dark, the page names what passed and failed and the requests that show it', async () => {
    const { baseUrl } = running().gateway;
    const { page, context, offences } = await personAt(browser, baseUrl);
    await context.addCookies([browserCookie(ada.cookie)]);
    await page.goto(path.replace('/certification', ''));
    await page.getByRole('link', { name: 'Certification' }).click();
    await page.waitForURL(`**${path}`);
    expect(await page.getByRole('row', { name: /Keeps its token/ }).innerText()).toContain('Passed');
    const failed = page.getByRole('row', { name: /Doesn't repeat refused calls/ });
    expect(await failed.innerText()).toContain('Failed');
    await failed.getByText('What to do').click();
    const windows = [360, 1440].flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
    );
    const shot = async ({ width, colorScheme }: Window): Promise<void> => {
      if (process.env.SHOTS)
        writeFileSync(`${process.env.SHOTS}-${width}-${colorScheme}.png`, await page.screenshot({ fullPage: true }));
    };
    expect(await windowFindings(page, windows, shot)).toEqual([]);
    const link = failed.getByRole('link').first();
    const id = await link.innerText();
    await link.click();
    await page.waitForURL(`**/logs/${id}`);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(offences).toEqual([]);
    await context.close();
  });

  test("another account's certification is not found", async () => {
    const { baseUrl } = running().gateway;
    const grace = await portalPerson(running());
    expect([(await grace.get(baseUrl, path)).status, (await grace.post(baseUrl, path)).status]).toEqual([404, 404]);
  });

  test('without scripts, a new certification begins, once however often the page is reloaded', async () => {
    const { baseUrl } = running().gateway;
    const { page, context } = await personAt(browser, baseUrl, { javaScriptEnabled: false });
    await context.addCookies([browserCookie(ada.cookie)]);
    await page.goto(path);
    await page.getByRole('button', { name: 'Begin a new certification' }).click();
    await page.waitForURL(`**${path}?notice=certification_begun`);
    await page.reload();
    await page.getByText('0 of 20 passed').waitFor();
    await page.goto(path.replace('/certification', ''));
    expect(await page.getByText('began a new certification').count()).toBe(1);
    await context.close();
  });
});

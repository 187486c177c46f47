import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { type Receiver, startReceiver } from '../../src/webhooks/fixtures/receiver.js';
import { describeWith } from '../support/binaries.js';
import { axeFindings, overflow, personAt, startBrowser } from '../support/browser.js';
import { localGateway } from '../support/local-gateway.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { browserCookie } from '../support/session.js';

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('pages of webhooks in a browser', () => {
  const running = localGateway();
  let browser: Browser;
  let receiver: Receiver;
  let ada: PortalPerson;
  beforeAll(async () => {
    browser = await startBrowser();
    receiver = await startReceiver();
    ada = await portalPerson(running());
  });
  afterAll(async () => {
    await browser.close();
    await receiver.stop();
  });

  test.each([true, false])(
    'a person adds an endpoint, sees a test event arrive, sends it again, replaces the secret and deletes the endpoint (scripts: %p)',
    async (javaScriptEnabled) => {
      const { baseUrl } = running().gateway;
      const name = `With events ${javaScriptEnabled}`;
      const { text } = await ada.post(baseUrl, '/applications', { name, description: '' });
      const id = /href="\/applications\/(app_[^"#]+)"/.exec(text)?.[1] ?? '';
      await ada.post(baseUrl, `/applications/${id}/subscriptions/car_webhooks`);
      const { page, context, offences } = await personAt(browser, baseUrl, { javaScriptEnabled, width: 360 });
      await context.addCookies([browserCookie(ada.cookie)]);
      await page.goto(`/applications/${id}`);
      await page.getByRole('link', { name: 'Webhooks' }).last().click();
      const add = async (url: string): Promise<void> => {
        await page.getByLabel('URL').fill(url);
        await page.getByRole('button', { name: 'Add endpoint' }).click();
      };
      await add('http://10.0.0.1/hook');
      expect(await page.locator('#url-problem').innerText()).toMatch(/^The URL must begin with https/);
      const url = `${receiver.url}/${javaScriptEnabled}`;
      await add(url);
      const first = await page.locator('#webhook-secret').innerText();
      expect(first).toMatch(/^whsec_/);
      await page.getByRole('link', { name: 'Go to the endpoint' }).click();
      expect((await page.content()).includes(first)).toBe(false);
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByText('A test event is queued').waitFor();
      const event = page.getByRole('row', { name: /webhook\.test/ });
      const shows = async (words: string): Promise<void> => {
        for (let tries = 0; !(await event.innerText()).includes(words); tries += 1) {
          expect(tries).toBeLessThan(200);
          await page.waitForTimeout(100);
          if (!javaScriptEnabled) await page.reload();
        }
      };
      await shows('delivered');
      const received = () => receiver.received.filter(({ body }) => body.type === 'webhook.test').length;
      const before = received();
      await event.getByText('Show', { exact: true }).click();
      expect(await event.locator('pre').innerText()).toContain('"type": "webhook.test"');
      if (javaScriptEnabled) expect([await overflow(page), await axeFindings(page)]).toEqual([0, []]);
      if (process.env.SHOTS) writeFileSync(process.env.SHOTS, await page.screenshot({ fullPage: true }));
      await event.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('The event is queued again').waitFor();
      for (let tries = 0; received() === before; tries += 1) {
        expect(tries).toBeLessThan(200);
        await page.waitForTimeout(100);
      }
      await page.getByRole('button', { name: 'Replace secret' }).click();
      const second = await page.locator('#webhook-secret').innerText();
      expect([second === first, () => new Webhook(second)]).toEqual([false, expect.any(Function)]);
      await page.getByRole('link', { name: 'Go to the endpoint' }).click();
      await page.getByText('signs as well until').waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('The endpoint is disabled').waitFor();
      await page.getByLabel('Delete it and its events').check();
      await page.getByRole('button', { name: 'Delete endpoint' }).click();
      await page.getByText('The endpoint was deleted').waitFor();
      await page.goto(`/applications/${id}`);
      expect(await page.getByText(`added the webhook endpoint ${new URL(url).origin}/…`).count()).toBe(1);
      expect(offences).toEqual([]);
      await context.close();
    },
  );

  test("another account's endpoint is not found", async () => {
    const { baseUrl } = running().gateway;
    const { text } = await ada.post(baseUrl, '/applications', { name: 'Private', description: '' });
    const id = /href="\/applications\/(app_[^"#]+)"/.exec(text)?.[1] ?? '';
    await ada.post(baseUrl, `/applications/${id}/subscriptions/car_webhooks`);
    const made = await ada.post(baseUrl, `/applications/${id}/webhooks`, { url: 'https://hooks.example.com/' });
    const endpoint = /\/webhooks\/(whe_[0-9a-f]{24})/.exec(made.text)?.[1] ?? '';
    const grace = await portalPerson(running());
    const own = await grace.post(baseUrl, '/applications', { name: 'Own', description: '' });
    const other = /href="\/applications\/(app_[^"#]+)"/.exec(own.text)?.[1] ?? '';
    for (const path of [`${id}/webhooks`, `${id}/webhooks/${endpoint}`, `${other}/webhooks/${endpoint}`])
      expect([path, (await grace.get(baseUrl, `/applications/${path}`)).status]).toEqual([path, 404]);
    for (const action of ['test', 'delete', 'secret', 'state', 'replay', 'events'])
      for (const app of [id, other]) {
        const path = `/applications/${app}/webhooks/${endpoint}/${action}`;
        const form = { state: 'disabled', overlap: 'none', event: `evt_${'0'.repeat(32)}` };
        const { status } = action === 'events' ? await grace.get(baseUrl, path) : await grace.post(baseUrl, path, form);
        expect([path, status]).toEqual([path, 404]);
      }
    expect((await ada.get(baseUrl, `/applications/${id}/webhooks/${endpoint}`)).text).toContain('active');
  });
});

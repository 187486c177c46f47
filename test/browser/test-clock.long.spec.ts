import { writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { driver, eventually, fresh, RESERVATIONS, reservationOf } from '../support/booking.js';
import { axeFindings, overflow, personAt, startBrowser } from '../support/browser.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { vehiclesPath } from '../support/rental.js';
import { browserCookie } from '../support/session.js';
import { sharedGateway } from '../support/shared-gateway.js';

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('the test clock of an application in a browser', () => {
  const running = sharedGateway();
  let browser: Browser;
  let ada: PortalPerson;
  let application: string;
  let token: string;

  beforeAll(async () => {
    browser = await startBrowser();
    ada = await portalPerson(running());
    const { gateway, client } = running();
    const { text } = await ada.post(gateway.baseUrl, '/applications', { name: 'Later', description: '' });
    application = /href="(\/applications\/app_[^"#]+)"/.exec(text)?.[1] ?? '';
    for (const product of ['car_availability', 'car_reservation'])
      await ada.post(gateway.baseUrl, `${application}/subscriptions/${product}`);
    const [client_id = '', client_secret = ''] = ['client-id', 'client-secret'].map(
      (name) => new RegExp(`id="${name}"[^>]*>([^<]+)`).exec(text)?.[1] ?? '',
    );
    token = (await client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } })).body
      .access_token;
  });
  afterAll(() => browser.close());

  async function book(): Promise<string> {
    const { client } = running();
    const { vehicles } = (await client.get(vehiclesPath({ brand: 'Alpine', max_results: '60' }), { token })).body;
    const offer = vehicles.find(({ status, cancellation }) => status === 'available' && cancellation.free_until);
    const body = { offer_id: offer?.offer_id, driver: driver(fresh()) };
    return reservationOf(await client.post(RESERVATIONS, body, { token })).reservation_id;
  }

  /** What people see at both ends of the widths that pages support. */
  async function look(page: Page, name: string): Promise<void> {
    expect([await overflow(page), await axeFindings(page)]).toEqual([0, []]);
    if (process.env.SHOTS) writeFileSync(`${process.env.SHOTS}-${name}.png`, await page.screenshot({ fullPage: true }));
  }

  test.each([
    [360, false],
    [360, true],
    [1440, false],
    [1440, true],
  ])('at %p px (dark: %p), buttons move a reservation to its deadline, pickup and end', async (width, isDark) => {
    const { baseUrl } = running().gateway;
    const id = await book();
    const { page, context, offences } = await personAt(browser, baseUrl, { width, isDark });
    await context.addCookies([browserCookie(ada.cookie)]);
    await page.goto(`/reservations/${id}`);
    await look(page, `reservation-${width}-${isDark}`);
    // A time is on one line, and nothing is cut off: words of the table aren't broken.
    const history = page.getByRole('region', { name: 'History' });
    expect((await history.locator('.instant').first().boundingBox())?.height).toBeLessThan(50);
    expect(await history.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    for (const button of ['Jump past the free cancellation', 'Jump to the pickup', 'Mark as a no-show']) {
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.waitForURL(`**/reservations/${id}?notice=clock_moved`);
      expect(await page.locator('#test-clock').innerText()).toContain('days ahead of real time');
      // The last one goes after the return.
      if (button.startsWith('Jump'))
        expect(await page.getByRole('button', { name: button, exact: true }).count()).toBe(0);
    }
    await eventually(
      async () => {
        await page.reload();
        return await page.locator('h1').innerText();
      },
      (text) => text.toLowerCase().includes('no show'),
    );
    await look(page, `ended-${width}-${isDark}`);

    await page.getByRole('link', { name: 'Move it or return to real time' }).click();
    await page.waitForURL(`**${application}/clock`);
    await look(page, `clock-${width}-${isDark}`);
    await page.getByLabel('New time (UTC)').fill('2026-01-01T10:00');
    await page.getByRole('button', { name: 'Move the clock' }).click();
    expect(await page.locator('#now-problem').innerText()).toContain('only moves forward');
    await page.getByRole('button', { name: 'Return to real time' }).click();
    await page.waitForURL('**/clock?notice=clock_reset');
    expect(await page.locator('#test-clock').count()).toBe(0);
    await page.locator('.crumb a').click();
    expect(await page.locator('.events').innerText()).toContain('You set the test clock to');
    expect(offences).toEqual([]);
    await context.close();
  });
});

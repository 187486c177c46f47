import type { Browser, Locator, Page } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { overflow, type Person, personAt, startBrowser, tabTo, windowFindings } from '../support/browser.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { counted, recorded } from '../support/recorded.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { vehiclesPath } from '../support/rental.js';
import { browserCookie, DEMO_ACCOUNT, FORECOURT_SECRET, signIn } from '../support/session.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const PAGES = [
  '/usage',
  '/usage?period=week',
  '/logs',
  '/logs/seen-partial',
  '/logs/seen-twice',
  // It no longer reloads.
  '/logs/never-seen?again=2',
  '/reservations',
];

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('usage and requests in a browser', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let browser: Browser;
  let cookie: string;
  /** The id of a request whose id the gateway made. */
  let madeId: string;
  beforeAll(async () => {
    [redis, postgres, browser] = await Promise.all([startRedis(), freshDatabase(), startBrowser()]);
    const config = { tiers: ROOMY, suppliers: { cobalt: { state: 'maintenance' } } };
    gateway = await startGateway({
      env: { REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET },
      config,
    });
    const client = await Client.of(gateway);
    const ask = (id: string, scenario: string) =>
      client.get(vehiclesPath(), { headers: { 'x-request-id': id, 'x-sandbox-scenario': scenario } });
    await ask('seen-partial', 'bravo=error(503); alpine=empty; dune=slow(200)');
    await ask('seen-twice', 'alpine=ok');
    await ask('seen-twice', '*=error(500)');
    madeId = String((await client.get(vehiclesPath())).headers['x-request-id']);
    await recorded(postgres, madeId);
    await counted(postgres, 5);
    await postgres.query(
      "update applications set name = 'demo shop for holiday cars all over Europe' where id = 'app_demo'",
    );
    client.close();
    cookie = await signIn(postgres, redis.url, DEMO_ACCOUNT);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  const ada = async (options: Parameters<typeof personAt>[2] = {}): Promise<Person> => {
    const person = await personAt(browser, gateway.baseUrl, options);
    await person.context.addCookies([browserCookie(cookie)]);
    return person;
  };

  test.each(PAGES)(
    '%s fits a narrow and a wide dark window, has no serious axe finding in either, and keeps to its host and policy',
    async (path) => {
      const { page, context, offences } = await ada({ width: 360 });
      await goto(page, path);
      expect(await windowFindings(page)).toEqual([]);
      expect(offences).toEqual([]);
      await context.close();
    },
  );

  test('at 360 px the errors of a request don’t scroll sideways', async () => {
    const { page, context } = await ada({ width: 360 });
    await page.goto('/logs/seen-partial');
    const errors = page.getByRole('region', { name: 'Errors returned' });
    expect(await errors.getByText('supplier_failure').isVisible()).toBe(true);
    expect(await hiddenWidth(errors)).toBe(0);
    const note = await page.getByText('A call with several HTTP requests has one row per request.').boundingBox();
    expect((note?.x ?? 0) + (note?.width ?? 1_000)).toBeLessThanOrEqual(360);
    await context.close();
  });

  test('charts are drawn from the table and follow the width of the window', async () => {
    const { page, context } = await ada({ width: 1440 });
    await goto(page, '/usage');
    expect(await paintedShares(page)).toEqual([true, true, true]);
    await page.setViewportSize({ width: 400, height: 900 });
    await page.waitForFunction('document.querySelector(".uplot").clientWidth < 400');
    expect(await overflow(page)).toBe(0);
    expect(await paintedShares(page)).toEqual([true, true, true]);
    await context.close();
  });

  test('without scripts the usage page shows the same numbers as tables, and the waterfall its bars', async () => {
    const { page, context } = await ada({ javaScriptEnabled: false });
    await page.goto('/usage');
    expect(await page.getByRole('table').count()).toBe(7);
    expect(await page.getByRole('region', { name: 'Calls over time' }).isVisible()).toBe(true);
    expect(await page.locator('canvas').count()).toBe(0);
    await page.goto('/logs/seen-partial');
    const bars = await page
      .locator('.bars rect')
      .evaluateAll((rects) =>
        rects.map(
          (rect) => (rect as unknown as { getBoundingClientRect(): { width: number } }).getBoundingClientRect().width,
        ),
      );
    expect(bars.length).toBeGreaterThan(10);
    expect(Math.max(...bars)).toBeGreaterThan(50);
    await context.close();
  });

  test.each([true, false])(
    'by keyboard alone (scripts: %p) the week of one application, its table scrolled, leads to the log',
    async (withScripts) => {
      const { page, context, offences } = await ada({ width: 360, javaScriptEnabled: withScripts });
      await page.goto('/usage');
      await tabTo(page, page.getByLabel('Application', { exact: true }));
      await page.keyboard.type('demo');
      await page.keyboard.press('Tab');
      await page.keyboard.type('Last 7');
      await tabTo(page, page.getByRole('button', { name: 'Show' }));
      await page.keyboard.press('Enter');
      await page.waitForURL('**/usage?application=app_demo&period=week&from=&to=');
      const table = page.getByRole('region', { name: 'Calls by operation' });
      await tabTo(page, table);
      await page.keyboard.press('ArrowRight');
      await eventually(
        () => table.evaluate((element) => (element as unknown as { scrollLeft: number }).scrollLeft),
        (left) => left > 0,
      );
      await tabTo(page, table.getByRole('link').first());
      await page.keyboard.press('Enter');
      await page.waitForURL('**/logs?operation=searchVehicles');
      expect(offences).toEqual([]);
      await context.close();
    },
  );

  test('at 1280 px the log shows complete gateway ids without scrolling', async () => {
    const { page, context } = await ada({ width: 1280 });
    await page.goto('/logs');
    const log = page.getByRole('region', { name: 'Requests' });
    expect(await hiddenWidth(log)).toBe(0);
    const lines = await log
      .getByText(madeId)
      .evaluate((code) => (code as unknown as { getClientRects(): ArrayLike<unknown> }).getClientRects().length);
    expect(lines).toBe(1);
    await context.close();
  });

  test('the live tail shows new requests without reloading, and stops when it is turned off', async () => {
    const { page, context, offences } = await ada();
    await page.goto('/logs');
    const tail = page.getByRole('button', { name: 'Live tail' });
    await tabTo(page, tail);
    await page.keyboard.press('Enter');
    expect(await tail.getAttribute('aria-pressed')).toBe('true');
    const client = await Client.of(gateway);
    const ask = (id: string) => client.get(vehiclesPath(), { headers: { 'x-request-id': id } });
    await ask('tailed-one');
    await page.getByRole('link', { name: 'tailed-one' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await tail.getAttribute('aria-pressed')).toBe('false');
    await ask('tailed-two');
    await recorded(postgres, 'tailed-two');
    await page.waitForTimeout(2_500);
    expect(await page.getByRole('link', { name: 'tailed-two' }).count()).toBe(0);
    client.close();
    expect(offences).toEqual([]);
    await context.close();
  });

  test('from the home page, two clicks answer which supplier costs bookings, and a third shows its failures', async () => {
    const { page, context } = await ada();
    await page.goto('/');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click();
    expect(await page.locator('.costliest').textContent()).toContain('Bravo Mobility costs you most:');
    const row = page
      .getByRole('region', { name: 'Searches by supplier' })
      .getByRole('row', { name: /^Bravo Mobility/ });
    await row.getByRole('link').click();
    await page.waitForURL('**/logs?supplier=bravo&cause=failed');
    expect(await page.getByRole('link', { name: 'seen-partial' }).count()).toBe(1);
    await context.close();
  });

  test('a plot shows the values under the pointer, and its axes have titles', async () => {
    const { page, context } = await ada();
    await goto(page, '/usage?period=hour');
    const plot = page.locator('figure', { hasText: 'Calls by response' });
    const box = await plot.locator('.u-over').boundingBox();
    if (!box) throw new Error('the plot is not drawn');
    await plot.locator('.u-over').hover({ position: { x: box.width - 4, y: 20 } });
    expect(await plot.locator('.readout').textContent()).toMatch(/: \d+ 2xx, \d+ 206, \d+ 4xx/);
    expect(await page.locator('figure[data-axis=Calls]').count()).toBe(1);
    await context.close();
  });

  test('without scripts, a custom period, a filtered log and the reservations are forms and tables', async () => {
    const { page, context } = await ada({ javaScriptEnabled: false });
    await page.goto('/usage');
    await page.getByLabel('Period').selectOption('custom');
    const today = new Date().toISOString().slice(0, 10);
    await page.getByLabel('From (UTC)').fill(today);
    await page.getByLabel('To, included').fill(today);
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await page.locator('main').textContent()).toContain(`${today} 00:00 UTC to ${today}`);
    await page.goto('/logs');
    expect(await page.locator('#tail').isVisible()).toBe(false);
    await page.getByText('More filters').click();
    await page.getByLabel('Sandbox scenario').fill('dune=slow');
    await page.getByRole('button', { name: 'Filter' }).click();
    expect(await page.getByRole('link', { name: 'seen-partial' }).count()).toBe(1);
    await page.goto('/reservations');
    expect(await page.getByText('No reservations yet.').isVisible()).toBe(true);
    await context.close();
  });

  test.each(['/usage', '/usage?period=week', '/logs', '/reservations'])('%s has at most 40,000 bytes', async (path) => {
    const { page, context } = await ada();
    await page.goto(path);
    expect((await page.content()).length).toBeLessThan(40_000);
    await context.close();
  });

  test('from the log one click leads to the explanation, and a filter narrows the log', async () => {
    const { page, context } = await ada();
    await page.goto('/logs');
    await page.getByLabel('Status').selectOption('206');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'seen-partial' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Partial response');
    expect(
      await page
        .getByRole('img', { name: /^Dune Drive: .*waiting for the first byte (?:[2-9]\d\d|\d,\d{3}) ms/ })
        .count(),
    ).toBe(1);
    await context.close();
  });
});

/** Opens a page and waits until its charts are drawn. */
async function goto(page: Page, path: string): Promise<void> {
  await page.goto(path, { waitUntil: 'load' });
  await page.locator('.charts figure:not(.drawn)').first().waitFor({ state: 'detached' });
}

/** Pixels of a region that it shows only after scrolling sideways. */
function hiddenWidth(region: Locator): Promise<number> {
  return region.evaluate((element) => {
    const { scrollWidth, clientWidth } = element as unknown as { scrollWidth: number; clientWidth: number };
    return scrollWidth - clientWidth;
  });
}

/** Whether more than its ground is painted on each chart. */
function paintedShares(page: Page): Promise<boolean[]> {
  return page.evaluate(`[...document.querySelectorAll('figure canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return colours.size > 3;
  })`);
}

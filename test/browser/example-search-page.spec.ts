import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { axeFindings, overflow, personAt, startBrowser } from '../support/browser.js';
import { type Child, plainEnvironment, startChild } from '../support/child.js';
import type { AnyBody, Offer } from '../support/client.js';
import { localGateway } from '../support/local-gateway.js';
import { PROJECT } from '../support/project.js';

const READY = 'The search page is at ';
/** Suppliers' simulators accept a booking on request after five seconds; the rest is for a busy machine. */
const DECISION_MS = 40_000;

/** A value that the test relies on. */
function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the answer lacks what the test relies on');
  return value;
}

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('the example search page in a browser', () => {
  const running = localGateway();
  let browser: Browser;
  let example: Child;
  let url: string;
  beforeAll(async () => {
    const { baseUrl, credentials } = running().gateway;
    const { client_id, client_secret } = credentials();
    const variables = { FORECOURT_URL: baseUrl, CLIENT_ID: client_id, CLIENT_SECRET: client_secret, PORT: '0' };
    const program = join(PROJECT, 'docs', 'examples', 'search-page', 'server.mjs');
    example = startChild(process.execPath, [program], { env: { ...plainEnvironment(), ...variables } });
    browser = await startBrowser();
    await example.printed(READY);
    url = /is at (\S+)/.exec(example.output())?.[1] ?? '';
  });
  afterAll(async () => {
    await browser.close();
    if (process.env.SHOTS) writeFileSync(join(process.env.SHOTS, 'server.log'), example.output());
    await example.stop();
  });

  /** Does something that makes the page search or turn a page, and returns the answer that the page shows then. */
  async function answered(page: Page, act: () => Promise<unknown>): Promise<AnyBody> {
    const next = page.waitForResponse((response) => /\/api\/search(?:es\/|\?)/.test(response.url()));
    await act();
    const body = await (await next).json();
    await page.locator('#results:not([aria-busy])').waitFor({ state: 'attached' });
    return body;
  }
  const inEuros = ({ offer }: { offer: Offer }): string => {
    const { amount, currency } = need(offer.price.display);
    return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount));
  };
  const texts = (page: Page, selector: string): Promise<string[]> => page.locator(selector).allInnerTexts();
  const shot = async (page: Page, name: string): Promise<void> => {
    if (process.env.SHOTS)
      writeFileSync(join(process.env.SHOTS, `${name}.png`), await page.screenshot({ fullPage: true }));
  };

  test('a visitor finds a place, compares cars in euros, filters, turns the page and reads hours', async () => {
    const { page, context, offences } = await personAt(browser, url);
    // The first call for names fails, as it does while the gateway restarts.
    await page.route('**/api/names', (route) => route.fulfill({ status: 404, json: { status: {} } }), { times: 1 });
    const unnamed = page.waitForResponse('**/api/names');
    await page.goto('/');
    expect((await unnamed).status()).toBe(404);
    await page.getByRole('combobox', { name: 'Where' }).pressSequentially('bosto');
    await page.getByRole('option', { name: /^Logan .*\(BOS\)/ }).click();
    await page.getByLabel('Group the same car').check();
    const all = await answered(page, () => page.getByRole('button', { name: 'Search', exact: true }).click());
    expect(all.request).toMatchObject({
      pickup_location: expect.stringMatching(/bos/i),
      currency: 'EUR',
      group_by: 'car',
    });
    const groups = need(all.groups);
    expect(await page.locator('#found').innerText()).toBe(`${all.groups_found} cars in ${all.vehicles_found} offers`);
    expect(await texts(page, '.card .price')).toEqual(groups.map(inEuros));
    expect(new Set(all.suppliers.map(({ supplier }) => supplier)).size).toBe(4);
    const shared = groups.findIndex(({ alternatives }) => alternatives.length > 1);
    const { alternatives } = need(groups[shared]);
    const first = need(alternatives[0]);
    const card = page.locator('.card').nth(shared);
    expect(await card.innerText()).toContain(`Same car from ${alternatives.length} more`);
    expect(await card.innerText()).toContain(`${first.brand}: ${inEuros({ offer: first })}`);

    await card.getByRole('button', { name: 'Opening hours' }).click();
    await card.getByText(/^mon: \d\d:\d\d–\d\d:\d\d$/).waitFor();

    const second = await answered(page, () => page.getByRole('button', { name: 'Next page' }).click());
    expect(await page.locator('#page').innerText()).toBe(`Page 2 of ${need(all.page).count}`);
    expect([second.search_id, second.vehicles_found]).toEqual([all.search_id, all.vehicles_found]);
    expect(await texts(page, '.card h3')).toHaveLength(second.groups?.length ?? -1);
    expect(await texts(page, '.card .price')).toEqual(second.groups?.map(inEuros));

    const category = need(all.facets?.category?.values[0]);
    const { client } = running();
    const { names } = JSON.parse((await client.get('/cars/vehicles/v1')).text);
    const box = page.locator(`input[name=category][value=${category.value}]`);
    expect(await box.locator('..').innerText()).toBe(`${names.category[category.value]} (${category.count})`);
    const filtered = await answered(page, () => box.check());
    expect([filtered.request.category, filtered.vehicles_found]).toEqual([[category.value], category.count]);
    expect(await page.locator('#found').innerText()).toContain(`in ${category.count} offers`);
    expect([await overflow(page), await axeFindings(page), offences]).toEqual([0, [], []]);
    await shot(page, 'results-1440-light');
    await context.close();
  });

  test(
    'a partial answer is shown as one; a booking on request is pending until a signed webhook confirms it',
    async () => {
      const { page, context, offences } = await personAt(browser, url, { width: 360, isDark: true });
      await page.goto('/');
      await page.getByLabel('Where').fill('BOS');
      // Leaving the field closes its suggestions, which may cover what is below.
      await page.getByLabel('Where').press('Tab');
      await page.getByText('Sandbox', { exact: true }).click();
      await page.getByLabel('Scenario').fill('bravo=reset; alpine=on_request');
      const partial = await answered(page, () => page.getByRole('button', { name: 'Search', exact: true }).click());
      const failure = need(partial.status.errors?.[0]);
      expect([partial.status.success?.[0]?.code, failure.supplier]).toEqual(['206', 'bravo']);
      expect(await page.locator('#partial').innerText()).toBe(
        `Only ${partial.suppliers.length - 1} of ${partial.suppliers.length} suppliers are included. ${failure.details}`,
      );
      await answered(page, () => page.locator('input[name=brand][value=Alpine]').check());
      expect(await page.locator('#partial').isHidden()).toBe(true);
      expect([await overflow(page), await axeFindings(page)]).toEqual([0, []]);
      await shot(page, 'results-360-dark');

      await page.getByRole('button', { name: 'Book Alpine' }).first().click();
      await page.getByLabel('First name').fill('Ada');
      await page.getByLabel('Last name').fill('Sample');
      await page.getByLabel('Email').fill('ada@example.com');
      const booked = page.waitForResponse((response) => response.url().endsWith('/api/bookings'));
      await page.getByRole('button', { name: 'Book', exact: true }).click();
      const { reservation } = await (await booked).json();
      expect([(await booked).status(), reservation.state]).toEqual([202, 'on_request']);
      const shown = page.locator('#booking');
      await shown.getByText(/^Pending: the supplier must accept/).waitFor();
      expect(await forge(reservation.reservation_id)).toBe(400);
      expect(await shown.getAttribute('data-state')).toBe('on_request');
      await shot(page, 'pending-360-dark');
      await shown.getByText('Confirmed.', { exact: true }).waitFor({ timeout: DECISION_MS });
      expect(await shown.innerText()).toMatch(/State confirmed: webhook reservation\.confirmed of 20/);
      expect(await shown.innerText()).toContain(`Confirmation number ${reservation.confirmation_number}`);
      expect([await overflow(page), await axeFindings(page), offences]).toEqual([0, [], []]);
      await shot(page, 'confirmed-360-dark');
      await context.close();
    },
    2 * DECISION_MS,
  );

  /** Sends an event that Forecourt did not sign; returns the status of the receiver. */
  async function forge(reservationId: string): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'evt_forged',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    };
    const data = { reservation_id: reservationId, version: 99, state: 'confirmed' };
    const body = JSON.stringify({ type: 'reservation.confirmed', timestamp: new Date().toISOString(), data });
    return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status;
  }
});

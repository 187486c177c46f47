import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { axeFindings, overflow, type Person, personAt, startBrowser, tabTo } from '../support/browser.js';
import { carry, visitSharedGateway } from '../support/docs-visitor.js';
import { compiled, installSdk } from '../support/installed-sdk.js';

const run = promisify(execFile);

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('the console', () => {
  const visited = visitSharedGateway();
  let browser: Browser;
  let person: Person;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 30_000);
  afterAll(() => browser.close());
  afterEach(async () => {
    expect(person.offences).toEqual([]);
    await person.context.close();
  });

  async function open(path: string, options: Parameters<typeof personAt>[2] = {}): Promise<Page> {
    person = await personAt(browser, visited().gateway.baseUrl, options);
    await carry(person.context, visited());
    await person.page.goto(path);
    // The page's script enables the buttons when it has loaded its parts.
    if (path.startsWith('/console')) await chosen(person.page).locator('button[type=submit]:enabled').waitFor();
    return person.page;
  }

  const chosen = (page: Page) => page.locator('section.operation:not([hidden])');
  const field = (page: Page, name: string) => chosen(page).locator(`[name="${name}"]`);
  const answerStatus = async (page: Page): Promise<number> =>
    Number((await page.textContent('#answer-status'))?.slice(0, 3));
  const answerBody = async (page: Page) => JSON.parse((await page.textContent('#answer-body')) ?? '');
  /** Sends the chosen form; its button is disabled until the answer is shown. */
  async function send(page: Page): Promise<number> {
    const button = chosen(page).locator('button[type=submit]');
    const answered = await button.evaluateHandle(watchButton);
    await button.click();
    await answered.evaluate(({ enabledAgain }) => enabledAgain);
    return answerStatus(page);
  }
  const clipboard = (page: Page) =>
    page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    );
  const openPicker = (page: Page) => page.click('#scenario-picker > summary');
  const next = (page: Page, operation: string) => page.click(`#answer p:not([hidden]) a[data-show=${operation}]`);
  const choose = (page: Page, operation: string) => page.click(`nav [data-show=${operation}]`);

  test('runs every operation of /openapi.json successfully; ids are filled in, never typed', async () => {
    const page = await open('/console?operation=searchVehicles');
    const ran = new Map<string, number>();
    const runs = async (operation: string) => ran.set(operation, await send(page));

    await chosen(page).locator('summary').click();
    await field(page, 'brand').fill('Alpine');
    await runs('searchVehicles');
    await next(page, 'priceOffer');
    await runs('priceOffer');
    await next(page, 'createReservation');
    expect(await field(page, 'Idempotency-Key').inputValue()).toMatch(/^[\da-f-]{36}$/);
    await runs('createReservation');
    const { reservation_id: booked } = (await answerBody(page)).reservation;
    await next(page, 'readReservation');
    await runs('readReservation');
    expect((await answerBody(page)).reservation).toMatchObject({ reservation_id: booked, state: 'confirmed' });
    await choose(page, 'readVoucher');
    await runs('readVoucher');
    await choose(page, 'readReservation');
    await send(page);
    await next(page, 'changeReservation');
    await runs('changeReservation');
    await next(page, 'searchVehicles');
    // The cheapest car of all is of another brand: what takes the place of a booking is of its own.
    await field(page, 'brand').fill('');
    await field(page, 'max_results').fill('200');
    await send(page);
    expect((await answerBody(page)).vehicles[0].brand).not.toBe('Alpine');
    await next(page, 'replaceReservation');
    await runs('replaceReservation');
    await next(page, 'cancelReservation');
    await runs('cancelReservation');
    expect((await answerBody(page)).reservation).toMatchObject({ reservation_id: booked, state: 'cancelled' });

    const inOrder = [
      'searchLocations',
      'readLocation',
      'searchPlaces',
      'searchVehiclesByBody',
      'readSearch',
      'listReservations',
    ];
    const endpoints = ['createWebhookEndpoint', 'listWebhookEndpoints', 'readWebhookEndpoint', 'changeWebhookEndpoint'];
    const events = ['testWebhookEndpoint', 'listWebhookDeliveries', 'replayWebhookEvents', 'rotateWebhookSecret'];
    const others = ['deleteWebhookEndpoint', 'oauthMetadata', 'live', 'ready', 'openapi'];
    const content = [
      'listSuppliers',
      'readSupplier',
      'listNames',
      'readVehicleContent',
      'vehiclePicture',
      'supplierMark',
    ];
    const clock = ['readTestClock', 'moveTestClock', 'resetTestClock'];
    for (const operation of [...inOrder, ...content, ...clock, ...endpoints, ...events, ...others]) {
      await choose(page, operation);
      await runs(operation);
    }
    const { client_secret } = visited().gateway.credentials();
    for (const operation of ['getAccessToken', 'issueToken', 'introspectToken', 'revokeToken']) {
      await choose(page, operation);
      await field(page, 'client_secret').fill(client_secret);
      await runs(operation);
    }
    const { paths } = (await (await fetch(`${visited().gateway.baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const all = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect([...ran.keys()].sort()).toEqual(all.filter((id) => !/Alias\d+$/.test(id)).sort());
    expect(Object.fromEntries([...ran].filter(([, status]) => status !== 200))).toEqual({
      createReservation: 201,
      createWebhookEndpoint: 201,
      deleteWebhookEndpoint: 204,
      replayWebhookEvents: 202,
      resetTestClock: 204,
      testWebhookEndpoint: 202,
    });
  }, 60_000);

  test('a link fills in another example: a point instead of a location', async () => {
    const page = await open('/console?operation=searchVehicles');
    await chosen(page).getByRole('link', { name: 'Around a point' }).click();
    expect(await field(page, 'pickup_location').inputValue()).toBe('');
    expect([200, 206]).toContain(await send(page));
    expect((await answerBody(page)).request).toMatchObject({ pickup_latitude: 42.36, pickup_airports: ['BOS'] });
  });

  test('the scenario picker triggers a 206; its entries, every supplier’s time and the explanation link are shown', async () => {
    const page = await open('/console');
    await choose(page, 'searchVehicles');
    await openPicker(page);
    await page.selectOption('[data-part=bravo]', 'timeout');
    await page.selectOption('[data-part=dune]', 'empty');
    expect((await page.inputValue('#scenario')).split('; ').sort()).toEqual(['bravo=timeout', 'dune=empty']);
    expect(await send(page)).toBe(206);
    const entries = await page.locator('#answer-entries tbody tr').allInnerTexts();
    expect(entries.map((entry) => entry.split('\t').slice(0, 3))).toEqual([
      ['206', 'Partial Content', ''],
      ['404', 'no_supplier_results', 'dune'],
      ['500', 'supplier_failure: timeout', 'bravo'],
    ]);
    const suppliers = await page.locator('#answer-suppliers tbody tr').allInnerTexts();
    expect(suppliers.map((row) => row.replace(/\d+$/, 'ms').split('\t'))).toContainEqual([
      'bravo',
      'failed: timeout',
      '0',
      'ms',
    ]);
    expect(await page.textContent('#answer-timing')).toMatch(/^\d+ ms \(first byte \d+ ms\)$/);
    const requestId = /x-request-id: (\S+)/.exec((await page.textContent('#answer-headers')) ?? '')?.[1];
    expect(await page.getAttribute('#answer-explain', 'href')).toBe(`/logs/${requestId}`);
  });

  test('one click after a complete search, a partial one and a link to why; a failure sends what is shown', async () => {
    const page = await open('/console?operation=searchVehicles&brand=Alpine');
    expect(await send(page)).toBe(200);
    expect(await page.locator('#answer-explain').innerText()).toBe('Explain this request');
    await page.getByRole('link', { name: 'See a 206' }).click();
    await page.locator('#answer-status:has-text("206")').waitFor();
    expect(await page.locator('#answer-partial').isVisible()).toBe(false);
    expect(await page.locator('#answer-explain').innerText()).toBe('Why is it incomplete?');
    // Another operation that calls suppliers, and one that doesn't.
    for (const [operation, sent] of [
      ['searchLocations', 'searchLocations'],
      ['live', 'searchVehicles'],
    ] as const) {
      await choose(page, operation);
      await page.click('button[data-scenario="dune=timeout"]');
      await page.locator('#answer-status:has-text("206")').waitFor();
      expect(await chosen(page).getAttribute('id')).toBe(sent);
    }
  }, 30_000);

  test('before the first response, three starters send a complete search, a partial one and a booking', async () => {
    const page = await open('/console');
    const starters = page.getByRole('region', { name: 'No response yet' });
    expect(await starters.locator('.badge').allInnerTexts()).toEqual(['200', '206', '201']);
    const links = await starters.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    await starters.getByRole('link', { name: 'Search cars' }).click();
    await page.locator('#answer-status:has-text("200 OK")').waitFor();
    expect(await chosen(page).getAttribute('id')).toBe('searchVehicles');
    expect(await page.locator('#starters').isVisible()).toBe(false);
    await choose(page, 'searchLocations');
    expect(await page.locator('#starters').isVisible()).toBe(false);
    // The other two, each in a tab of its own, which has no response yet.
    for (const [name, status] of [
      ['Search while bravo times out', '206 Partial Content'],
      ['Book a car', '201 Created'],
    ] as const) {
      const tab = await person.context.newPage();
      await tab.goto('/console');
      await chosen(tab).locator('button[type=submit]:enabled').waitFor();
      await tab.getByRole('link', { name }).click();
      await tab.locator(`#answer-status:has-text("${status}")`).waitFor();
      await tab.close();
    }
    // Without scripts, they fill in the request.
    expect(links[1]).toBe('/console?application=app_demo&operation=searchVehicles&scenario=bravo%3Dtimeout');
    await page.goto(String(links[1]));
    expect(await page.inputValue('#scenario')).toBe('bravo=timeout');
  }, 30_000);

  test.each([
    [360, false],
    [1440, true],
  ])('at %d px (dark: %p) the empty console fits, without serious axe findings', async (width, isDark) => {
    const page = await open('/console', { width, isDark });
    expect(await page.locator('#starters').isVisible()).toBe(true);
    expect(await overflow(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  });

  test('the picker is one line that says what is sent, and keeps parts that no select has', async () => {
    const page = await open('/console?operation=searchVehicles&scenario=bravo%3Dslow(1700)%3B%20dune%3Dempty');
    expect(await page.locator('#magic-place').isVisible()).toBe(false);
    expect(await page.locator('#scenario-chips span').allInnerTexts()).toEqual(['bravo=slow(1700)', 'dune=empty']);
    await openPicker(page);
    expect(await page.inputValue('[data-part=dune]')).toBe('empty');
    await page.selectOption('[data-part=dune]', '');
    expect(await page.inputValue('#scenario')).toBe('bravo=slow(1700)');
    await page.fill('#scenario', 'alpine=timeout');
    expect(await page.inputValue('[data-part=alpine]')).toBe('timeout');
    expect(await page.locator('#scenario-chips span').allInnerTexts()).toEqual(['alpine=timeout']);
    await page.click('button[data-scenario="dune=timeout"]');
    expect(await page.locator('pre code:visible').first().innerText()).toContain('dune=timeout');
    await page.locator('#answer-status:has-text("206")').waitFor();
  });

  test('a magic place of the picker is filled in and provokes its row', async () => {
    const page = await open('/console?operation=searchVehicles');
    await openPicker(page);
    await page.selectOption('#magic-place', 'ZZT404');
    expect(await field(page, 'pickup_location').inputValue()).toBe('ZZT404');
    expect(await send(page)).toBe(404);
    expect(await page.locator('#answer-entries tbody td').nth(1).innerText()).toBe('no_results');
  });

  describe('what is copied', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'forecourt-copied-'));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    async function copied(page: Page, label: string): Promise<string> {
      await person.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.locator('.tabs label', { hasText: label }).click();
      await page.locator('.tabs .code-block:visible button').click();
      return clipboard(page);
    }

    /** The environment of a shell or program that runs a snippet: no snippet contains a token. */
    async function withToken(): Promise<NodeJS.ProcessEnv> {
      const { baseUrl, credentials } = visited().gateway;
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials() });
      const issued = await fetch(`${baseUrl}/oauth/token/v1`, { method: 'POST', body });
      return { ...process.env, TOKEN: ((await issued.json()) as { access_token: string }).access_token };
    }

    const bookingPage = async (): Promise<Page> => {
      const page = await open('/console?operation=createReservation&brand=Alpine');
      await chosen(page).locator('button[data-prepare]').click();
      await page.waitForFunction(() =>
        (globalThis as unknown as { document: { querySelector(of: string): { value: string } } }).document
          .querySelector('form[data-operation=createReservation] [name=offer_id]')
          .value.startsWith('off_'),
      );
      await field(page, 'driver.last_name').fill(`O'Sample "of" $HOME`);
      return page;
    };

    test('shows no live token in any language, and remembers the chosen one', async () => {
      const page = await bookingPage();
      const tokens = page.locator('.tabs code');
      const texts = await tokens.allTextContents();
      expect(texts).toHaveLength(6);
      expect(texts.filter((text) => !text.includes('TOKEN') || text.includes('fc_s_'))).toEqual([]);
      await page.locator('.tabs label', { hasText: 'Python' }).click();
      await page.reload();
      expect(await page.locator('.tabs input:checked').inputValue()).toBe('python');
      expect(await page.locator('.tabs .code-block:visible code').textContent()).toMatch(
        /^import os\nimport requests\n/,
      );
    });

    test('the curl command books when run in a shell', async () => {
      const page = await bookingPage();
      const command = await copied(page, 'curl');
      expect(command).toContain('Bearer $TOKEN');
      const options = { env: await withToken() };
      const { stdout } = await run('sh', ['-c', command], options);
      expect(stdout).toMatch(/^HTTP\/1\.1 201 /);
      expect(JSON.parse(stdout.slice(stdout.indexOf('{'))).reservation.driver.last_name).toBe(`O'Sample "of" $HOME`);
      // Its key makes of a second run the same booking.
      expect((await run('sh', ['-c', command], options)).stdout).toMatch(/^idempotent-replayed: true/m);
    }, 30_000);

    test('the TypeScript compiles and books', async () => {
      const page = await bookingPage();
      await installSdk(folder);
      const text = await copied(page, 'TypeScript');
      expect(text).toContain('forecourt.book(');
      writeFileSync(join(folder, 'booking.ts'), `${text}\nexport {};\n`);
      expect(await compiled(folder)).toBe('');
      const { stdout } = await run(process.execPath, [join(folder, 'booking.js')], { env: await withToken() });
      expect(stdout).toMatch(/state: 'confirmed'/);
    }, 60_000);

    test('a client secret that was typed is in no snippet; the shell’s own takes its place', async () => {
      const page = await open('/console?operation=getAccessToken');
      const { client_secret } = visited().gateway.credentials();
      await field(page, 'client_secret').fill(client_secret);
      const command = await copied(page, 'curl');
      expect(command).not.toContain(client_secret);
      const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, CLIENT_SECRET: client_secret } });
      expect(stdout).toMatch(/^HTTP\/1\.1 200 [\s\S]*"access_token":/);
    });
  });

  test('by the keyboard alone: choose an operation, fill it in, send it, read the answer', async () => {
    const page = await open('/console');
    await page.focus('nav [data-show=searchLocations]');
    await page.keyboard.press('Enter');
    await tabTo(page, field(page, 'keyword'));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('paris');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('FR');
    await page.keyboard.press('Enter');
    await page.locator('#answer:focus').waitFor();
    expect(await answerStatus(page)).toBe(200);
    expect((await answerBody(page)).locations[0].address.country_code).toBe('FR');
  });

  test('Back and Reload show the operation, the request and the scenario again, and Back its response', async () => {
    const page = await open('/console?operation=searchVehicles');
    await openPicker(page);
    await page.selectOption('[data-part=bravo]', 'timeout');
    await field(page, 'pickup_location').fill('LHR');
    expect(await send(page)).toBe(206);
    const body = await answerBody(page);
    await choose(page, 'live');
    expect(await page.locator('#answer').isVisible()).toBe(false);
    await page.fill('#scenario', '');
    await send(page);
    await page.goBack();
    expect(await chosen(page).getAttribute('id')).toBe('searchVehicles');
    expect(await field(page, 'pickup_location').inputValue()).toBe('LHR');
    expect(await page.inputValue('#scenario')).toBe('bravo=timeout');
    expect(await page.inputValue('[data-part=bravo]')).toBe('timeout');
    expect(await answerBody(page)).toEqual(body);
    await page.reload();
    expect(await field(page, 'pickup_location').inputValue()).toBe('LHR');
    expect(await page.locator('#scenario-chips span').allInnerTexts()).toEqual(['bravo=timeout']);
    expect(await send(page)).toBe(206);
  }, 30_000);

  test('a car of the table is booked; the second response is marked as replayed, and the last requests are kept', async () => {
    const page = await open('/console?operation=searchVehicles&brand=Alpine');
    expect(await send(page)).toBe(200);
    const { vehicles } = await answerBody(page);
    await page.locator('#answer-offers button').nth(1).click();
    expect(await field(page, 'offer_id').inputValue()).toBe(vehicles[1].offer_id);
    const { amount, currency } = vehicles[1].price.total;
    expect(await chosen(page).locator('[data-offer]').innerText()).toContain(`${vehicles[1].vehicle.name}, `);
    expect(await chosen(page).locator('[data-offer]').innerText()).toContain(`${amount} ${currency}`);
    expect(await send(page)).toBe(201);
    expect(await page.locator('#answer-replayed').isVisible()).toBe(false);
    expect(await send(page)).toBe(201);
    expect(await page.locator('#answer-replayed').isVisible()).toBe(true);
    await page.click('summary:has-text("Last requests")');
    const kept = await page.locator('#answer-history button').allInnerTexts();
    expect(kept.map((text) => text.split(' ', 2).join(' '))).toEqual(['201 POST', '201 POST', '200 GET']);
    await page.locator('#answer-history button').last().click();
    expect(await chosen(page).getAttribute('id')).toBe('searchVehicles');
    expect((await answerBody(page)).vehicles).toHaveLength(vehicles.length);
  }, 30_000);

  test('a booking is summed up: what, where, when, at what price, and the next step is one click', async () => {
    const page = await open('/console?operation=createReservation');
    const summary = page.locator('#answer-reservation');
    expect(await send(page)).toBe(201);
    const { reservation } = await answerBody(page);
    const { vehicle, brand, pickup, price, confirmation_number } = reservation;
    expect(await summary.getByRole('heading').innerText()).toBe('Reservation confirmed');
    for (const fact of [
      `Confirmation\n${confirmation_number}`,
      `${vehicle.name}, ${vehicle.sipp_code} from ${brand}`,
      `${pickup.location.name}, ${pickup.date.slice(0, 16).replace('T', ' ')}`,
      `${price.total.amount} ${price.total.currency}`,
    ])
      expect(await summary.innerText()).toContain(fact);
    await summary.getByRole('button', { name: 'Cancel…' }).click();
    expect(await field(page, 'reservation_id').inputValue()).toBe(reservation.reservation_id);
    expect(await send(page)).toBe(200);
    expect(await summary.getByRole('heading').innerText()).toBe('Reservation cancelled');
    expect(await summary.getByRole('button').count()).toBe(0);
    await summary.getByRole('link', { name: 'Open the reservation' }).click();
    await page.waitForURL(`**/reservations/${reservation.reservation_id}`);
    expect(await page.locator('main').innerText()).toContain('Cancelled at the supplier.');
  }, 30_000);

  test('a 202 says what to do: the reservation is read again in one click until it is confirmed, or by a webhook', async () => {
    const page = await open('/console?operation=searchVehicles&pickup_location=ZZT202');
    expect(await send(page)).toBe(200);
    await page.locator('#answer-offers button').first().click();
    expect(await send(page)).toBe(202);
    const summary = page.locator('#answer-reservation');
    expect(await summary.innerText()).toMatch(/: outcome unknown\s+The result isn’t known yet, so don’t book again/);
    expect(await summary.getByRole('link', { name: 'webhook' }).getAttribute('href')).toMatch(
      /^\/applications\/app_\w+\/webhooks$/,
    );
    const isConfirmed = () => summary.getByRole('heading', { name: 'Reservation confirmed' }).isVisible();
    while (!(await isConfirmed())) {
      await summary.getByRole('button', { name: 'Read it again' }).click();
      await page.locator('#readReservation button[type=submit]:enabled').waitFor();
    }
    expect(await summary.getByRole('button', { name: 'Read it again' }).count()).toBe(0);
  }, 60_000);

  test('at 360 px the operations are one line, the status is in view after Send, and no word is cut in two', async () => {
    const page = await open('/console?operation=searchVehicles', { width: 360 });
    const operations = page.locator('#operations');
    expect(await operations.locator('summary').innerText()).toBe('Operation: Search vehicles');
    expect(await operations.evaluate((list) => (list as { offsetHeight?: number }).offsetHeight)).toBeLessThan(60);
    await operations.locator('summary').click();
    await choose(page, 'searchLocations');
    expect(await operations.locator('summary').innerText()).toBe('Operation: Search rental locations');
    expect(await page.locator('nav [data-show=searchVehicles]').isVisible()).toBe(false);
    await page.click('button[data-scenario="bravo=timeout"]');
    await page.locator('#answer-elapsed').waitFor();
    expect(await page.locator('#answer-waiting').evaluate(isInView)).toBe(true);
    await page.locator('#answer-status:has-text("206")').waitFor();
    expect(await page.locator('#answer-status').evaluate(isInView)).toBe(true);
    expect(await page.locator('#answer :is(td, caption)').evaluateAll(brokenWords)).toEqual([]);
    const caption = await page.locator('#answer-entries caption').boundingBox();
    expect(caption?.height).toBeLessThan(40);
  }, 30_000);

  test('Ctrl+Enter sends; meanwhile the response before is faded, the time runs, and Cancel ends it', async () => {
    const page = await open('/console?operation=searchVehicles&brand=Alpine');
    await chosen(page).locator('button[type=submit]:enabled').waitFor();
    await field(page, 'pickup_location').press('Control+Enter');
    await page.locator('#answer-status:has-text("200")').waitFor();
    await page.evaluate(() => {
      const { document } = globalThis as unknown as { document: { getElementById(id: string): { value: string } } };
      document.getElementById('scenario').value = 'alpine=slow(9000)';
    });
    await field(page, 'pickup_location').press('Control+Enter');
    await page.locator('#answer.is-waiting #answer-elapsed:text-matches("[1-9] s$")').waitFor();
    await page.click('#answer-cancel');
    await page.locator('#answer-status:has-text("Canceled")').waitFor();
    // A search has no effect. A booking may have one.
    expect(await page.locator('#answer-timing').innerText()).toBe('');
  }, 30_000);

  test('at 1440 × 900 px Send is visible without scrolling for every operation', async () => {
    const page = await open('/console', { width: 1440 });
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const operation of ['searchVehicles', 'createReservation', 'searchVehiclesByBody', 'changeReservation']) {
      await page.goto(`/console?operation=${operation}`);
      const box = await chosen(page).locator('button[type=submit]').boundingBox();
      expect((box?.y ?? 1_000) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
    }
  });

  test('Send is within 15 tabs of the start, for which the list of operations is one; the page weighs at most 120 KB', async () => {
    const page = await open('/console?operation=createReservation');
    await chosen(page).locator('button[type=submit]:enabled').waitFor();
    let tabs = 0;
    for (let isThere = false; !isThere; tabs += 1) {
      await page.keyboard.press('Tab');
      isThere = await page.locator('section.operation:not([hidden]) button[type=submit]:focus').isVisible();
      expect(tabs).toBeLessThan(15);
    }
    await page.focus('nav [data-show=createReservation]');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator(':focus').getAttribute('data-show')).toBe('listReservations');
    const response = await page.request.get('/console');
    expect((await response.body()).length).toBeLessThan(120_000);
  });

  test('the body is a tree: it opens, is searched, and is copied as it came', async () => {
    const page = await open('/console?operation=searchVehicles&max_results=30');
    await send(page);
    const body = await answerBody(page);
    const tree = page.locator('#answer-tree');
    expect(await tree.locator('summary').first().innerText()).toMatch(/^\{\d+\}$/);
    expect(await tree.getByText(body.vehicles[9].offer_id).count()).toBe(0);
    await page.fill('#answer-find', body.vehicles[9].offer_id);
    expect(await page.locator('#answer-found').innerText()).toBe('1 of 1');
    expect(await tree.locator('.found').innerText()).toContain(body.vehicles[9].offer_id);
    await page.fill('#answer-find', 'sipp_code');
    const [, count] = /^1 of (\d+)$/.exec(await page.locator('#answer-found').innerText()) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(30);
    await page.press('#answer-find', 'Enter');
    expect(await page.locator('#answer-found').innerText()).toBe(`2 of ${count}`);
    await page.fill('#answer-find', 'in no response');
    expect(await page.locator('#answer-found').innerText()).toBe('not found');
    await page.click('#answer-collapse');
    expect(await tree.locator('details[open]').count()).toBe(1);
    await page.click('#answer-expand');
    expect(await tree.locator('details[open]').count()).toBeGreaterThan(100);
    await person.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#answer-copy');
    await page.locator('#answer-copy:has-text("Copied")').waitFor();
    expect(JSON.parse(await clipboard(page))).toEqual(body);
    await page.check('#answer-raw');
    expect([await tree.isVisible(), await page.locator('#answer-body').isVisible()]).toEqual([false, true]);
  });

  test('Back from another page brings the request, its scenario and its response again, but never a token', async () => {
    const page = await open('/console?operation=searchLocations&scenario=bravo%3Dtimeout');
    expect(await send(page)).toBe(206);
    const body = await answerBody(page);
    await choose(page, 'getAccessToken');
    await field(page, 'client_secret').fill(visited().gateway.credentials().client_secret);
    expect(await send(page)).toBe(200);
    await page.goBack();
    await page.click('#answer-explain');
    await page.getByRole('heading', { name: 'Partial response' }).waitFor();
    await page.goBack();
    await page.locator('#answer-status:has-text("206")').waitFor();
    expect(await answerBody(page)).toEqual(body);
    expect(await page.locator('#scenario-chips span').allInnerTexts()).toEqual(['bravo=timeout']);
    const kept = await page.evaluate(() =>
      JSON.stringify((globalThis as unknown as { sessionStorage: Record<string, string> }).sessionStorage),
    );
    expect(kept).toContain('bravo');
    expect(kept).not.toMatch(/fc_s_|fcs_/);
  });

  test('after a logout the browser keeps no result', async () => {
    const page = await open('/console');
    await carry(person.context, { ...visited(), cookie: await visited().signIn('acc_demo') });
    await page.goto('/console?operation=live');
    expect(await send(page)).toBe(200);
    const kept = () =>
      page.evaluate(() =>
        (globalThis as unknown as { sessionStorage: { getItem(key: string): string | null } }).sessionStorage.getItem(
          'forecourt-console',
        ),
      );
    expect(await kept()).toContain('live');
    await page.click('button:has-text("Log out")');
    await page.waitForURL((url) => url.pathname !== '/console');
    expect(await kept()).toBeNull();
  });

  test('a 403 for lack of a subscription is solved in place', async () => {
    const page = await open('/applications/new');
    await page.getByLabel('Name', { exact: true }).fill('Without a product');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL('**/made');
    const [, id] = /applications\/(app_\w+)/.exec(page.url()) ?? [];
    await page.goto(`/console?application=${id}&operation=searchLocations`);
    // A first application may begin with subscriptions: this one must not have this one.
    await page.request.post(`/applications/${id}/subscriptions/car_location_keyword_search/end`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      form: {},
    });
    expect(await send(page)).toBe(403);
    await page.click('#answer-subscribe button');
    await page.locator('#answer-status:has-text("200")').waitFor();
    expect(await page.locator('#answer-subscribe').isVisible()).toBe(false);
  });

  test('an expired session leads to the login page and back here', async () => {
    const page = await open('/console?operation=searchLocations');
    await person.context.clearCookies();
    await chosen(page).locator('button[type=submit]').click();
    await page.waitForURL('**/login?next=**');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/console?operation=searchLocations');
  });

  test('a token that was revoked elsewhere is replaced on the next try', async () => {
    const page = await open('/console?operation=searchLocations');
    const issued = page.waitForResponse('**/console/token');
    expect(await send(page)).toBe(200);
    const { access_token: token } = (await (await issued).json()) as { access_token: string };
    const { client_id, client_secret } = visited().gateway.credentials();
    await fetch(`${visited().gateway.baseUrl}/oauth/revoke/v1`, {
      method: 'POST',
      body: new URLSearchParams({ client_id, client_secret, token }),
    });
    expect(await send(page)).toBe(401);
    expect(await send(page)).toBe(200);
  });

  test.each([
    [360, false],
    [1440, true],
  ])(
    'at %d px (dark: %p) form, snippet and a partial answer fit, without serious axe findings',
    async (width, isDark) => {
      const page = await open('/console?operation=searchVehicles&scenario=bravo%3Dtimeout', { width, isDark });
      await chosen(page).locator('summary').click();
      await openPicker(page);
      await send(page);
      await page.click('#answer-expand');
      await page.click('#answer-content > details > summary');
      expect(await overflow(page)).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
    },
  );
});

interface Box {
  readonly top: number;
  readonly bottom: number;
}

/** Whether an element can be seen without scrolling; runs in the page. */
function isInView(element: unknown): boolean {
  const { top, bottom } = (element as { getBoundingClientRect(): Box }).getBoundingClientRect();
  return top >= 0 && bottom <= (globalThis as unknown as { innerHeight: number }).innerHeight;
}

/** Words of elements that are on two lines although they have no hyphen or other place to break; runs in the page. */
function brokenWords(elements: readonly unknown[]): readonly string[] {
  const { document } = globalThis as unknown as {
    document: {
      createRange(): {
        setStart(node: unknown, at: number): void;
        setEnd(node: unknown, at: number): void;
        getClientRects(): ArrayLike<Box>;
      };
    };
  };
  const words: string[] = [];
  for (const element of elements as readonly { childNodes: Iterable<{ nodeType: number; data?: string }> }[])
    for (const node of element.childNodes)
      for (const { 0: word, index } of (node.data ?? '').matchAll(/[\w:]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1) words.push(word);
      }
  return words;
}

/** Runs in the page; `enabledAgain` resolves when the button is enabled after it was disabled. */
function watchButton(button: unknown): { readonly enabledAgain: Promise<void> } {
  const { MutationObserver } = globalThis as unknown as {
    MutationObserver: new (changed: () => void) => { observe(element: unknown, what: object): void };
  };
  const element = button as { readonly disabled: boolean };
  const enabledAgain = new Promise<void>((resolve) => {
    let wasDisabled = false;
    new MutationObserver(() => {
      if (element.disabled) wasDisabled = true;
      else if (wasDisabled) resolve();
    }).observe(element, { attributeFilter: ['disabled'] });
  });
  return { enabledAgain };
}

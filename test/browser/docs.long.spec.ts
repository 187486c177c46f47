import type { Browser, Page } from 'playwright-core';
import { reasons } from '../../src/status/reasons.js';
import { describeWith } from '../support/binaries.js';
import { axeFindings, overflow, type Person, personAt, startBrowser, windowFindings } from '../support/browser.js';
import { carry, visitSharedGateway } from '../support/docs-visitor.js';

const PAGES = [
  '/docs',
  '/docs/getting-started',
  '/docs/errors',
  '/docs/operations',
  '/docs/operations/searchVehicles',
  '/docs/operations/searchVehicles/responses',
  '/docs/objects/Offer',
  '/docs/developers',
  '/docs/changelog',
  '/docs/deployment',
  '/docs/security-access',
  '/docs/search?q=price_changed',
  '/docs/sandbox',
  '/docs/decisions/0016-console',
  '/nothing',
];

/** As many windows press the buttons of the page of errors. */
const VISITORS = 3;

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('the documentation in a browser', () => {
  const visited = visitSharedGateway();
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 30_000);
  afterAll(() => browser.close());

  async function open(path: string, options: Parameters<typeof personAt>[2] = {}): Promise<Person> {
    const person = await personAt(browser, visited().gateway.baseUrl, options);
    await carry(person.context, visited());
    await person.page.goto(path);
    return person;
  }

  test.each(PAGES)(
    '%s fits a narrow and a wide dark window, has no serious axe finding in either, and keeps to its host and policy',
    async (path) => {
      const { page, context, offences } = await open(path, { width: 360 });
      expect(await windowFindings(page)).toEqual([]);
      expect(offences).toEqual([]);
      await context.close();
    },
  );

  test('without JavaScript a page is there, with its commands and without buttons that do nothing', async () => {
    const { page, context } = await open('/docs/getting-started', { javaScriptEnabled: false });
    expect(await page.locator('pre').count()).toBe(7);
    expect(await page.locator('button[data-copy]:visible').count()).toBe(0);
    await context.close();
  });

  test('/ focuses the search, which shows results while typing; Enter lists all of them', async () => {
    const { page, context, offences } = await open('/docs/webhooks');
    await page.keyboard.press('/');
    expect(await page.locator(':focus').getAttribute('id')).toBe('find');
    await page.keyboard.type('price_chan');
    await page.locator('#found a').first().waitFor();
    expect(await page.locator('#found a').first().innerText()).toBe('Errors: price_changed');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.locator('#found').isVisible()).toBe(false);
    await page.keyboard.type('ged/');
    expect(await page.inputValue('#find')).toBe('price_changed/');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/search?q=*');
    expect(await page.locator('#results a').count()).toBeGreaterThan(2);
    await page.locator('#results a').first().click();
    await page.waitForURL((url) => !url.pathname.endsWith('/search'));
    expect(offences).toEqual([]);
    await context.close();
  });

  test('at the entrance the search is in the first view and works, and a card is a link over all of its area', async () => {
    const { page, context } = await open('/docs', { width: 360 });
    expect((await page.locator('#find').boundingBox())?.y).toBeLessThan(500);
    await page.keyboard.press('/');
    await page.keyboard.type('price_chan');
    await page.locator('#found a').first().waitFor();
    await page.keyboard.press('Escape');
    // The text lies below the link, which takes the click.
    await page.getByText('which supplier is missing and why').click({ force: true });
    await page.waitForURL('**/docs/errors#partial-results');
    await context.close();
  });

  test('without JavaScript the search lists results, and the tabs of languages work', async () => {
    const { page, context } = await open('/docs/operations/searchLocations', { javaScriptEnabled: false });
    await page.locator('.tabs label', { hasText: 'PHP' }).click();
    expect(await page.locator('.tabs .code-block:visible').innerText()).toContain('curl_init');
    await page.focus('.tabs input:checked');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('.tabs .code-block:visible').innerText()).toContain('HttpRequestMessage');
    await page.fill('#find', 'webhook signature');
    await page.press('#find', 'Enter');
    expect(await page.locator('#results a').first().innerText()).toMatch(/Webhooks/);
    await context.close();
  });

  test('on a narrow window the pages of the section are one box away', async () => {
    const { page, context } = await open('/docs/pricing', { width: 360 });
    expect(await page.locator('.pages a').first().isVisible()).toBe(false);
    await page.check('#show-pages');
    expect(await page.locator('.pages a').first().isVisible()).toBe(true);
    expect(await overflow(page)).toBe(0);
    await context.close();
  });

  test('the headings of a page are beside it, and the copy button is inside its block', async () => {
    const { page, context } = await open('/docs/webhooks');
    const links = await page.locator('.here a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect(await page.locator(`[id="${link?.slice(1)}"]`).count()).toBe(1);
    const block = await page.locator('.code-block').first().boundingBox();
    const button = await page.locator('.code-block button').first().boundingBox();
    expect((button?.y ?? 0) >= (block?.y ?? 1) && (button?.x ?? 0) < (block?.x ?? 0) + (block?.width ?? 0)).toBe(true);
    await context.close();
  });

  describe('/docs/errors', () => {
    interface Button {
      readonly href: string;
      readonly code: string;
      readonly reason: string;
      readonly cause: string;
    }
    /** The text of a link is the cause, or the reason if there is none. */
    const buttonsOf = (page: Page): Promise<Button[]> =>
      page.evaluate(`[...document.querySelectorAll('.provoke a')].map((link) => {
        const reason = link.closest('section').getAttribute('aria-labelledby');
        const cause = link.textContent === reason ? '' : link.textContent;
        return { href: link.href, code: link.closest('li').querySelector('strong').textContent, reason, cause };
      })`);

    test('has a button for every reason of spec §7.3', async () => {
      const { page, context } = await open('/docs/errors');
      const buttons = await buttonsOf(page);
      expect(Object.keys(reasons).filter((reason) => !buttons.some((button) => button.reason === reason))).toEqual([]);
      expect(buttons.length).toBeGreaterThan(35);
      await context.close();
    });

    test('each of its buttons really provokes its answer', async () => {
      const { page: index, context, offences } = await open('/docs/errors');
      const wrong: string[] = [];
      const press = async (page: Page, { href, code, reason, cause }: Button): Promise<void> => {
        await page.goto(href);
        const send = page.locator('section.operation:not([hidden]) button[type=submit]:enabled');
        const prepare = page.locator('section.operation:not([hidden]) button[data-prepare]');
        // One row is about a reservation that does not exist.
        if ((await prepare.count()) > 0 && !href.includes('res_nothing')) {
          await prepare.click();
          await page.locator('section.operation:not([hidden]) button[data-prepare]:enabled').waitFor();
        }
        await send.click();
        await send.waitFor();
        const status = (await page.textContent('#answer-status'))?.slice(0, 3);
        const entries = await page.locator('#answer-entries').innerText();
        const expected = cause === '' ? reason : `${reason}: ${cause}`;
        if (status !== code || !entries.includes(expected))
          wrong.push(`${href}: ${status} ${entries} in place of ${code} ${expected}`);
      };
      const buttons = await buttonsOf(index);
      // Some answers come only after a timeout: others are provoked meanwhile, by pages of other people.
      const visitor = async (): Promise<void> => {
        const person = await open('/docs/errors');
        for (let next = buttons.shift(); next; next = buttons.shift()) await press(person.page, next);
        expect(person.offences).toEqual([]);
        await person.context.close();
      };
      await Promise.all(Array.from({ length: VISITORS }, visitor));
      expect(wrong).toEqual([]);
      expect(offences).toEqual([]);
      await context.close();
    }, 240_000);
  });
});

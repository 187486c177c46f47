import type { Browser, Page } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { personAt, startBrowser } from '../support/browser.js';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.js';
import { runGateway } from '../support/run-gateway.js';

const EMAIL = 'ada@example.com';
const PASSWORD = 'three quiet herons';
/** A reader needs time, too: the machine's share of the five minutes must be small. */
const MOST_MS = 60_000;

describeWith('chromium')('spec §1 in a browser, using only what the pages show', () => {
  let mail: MailServer;
  let browser: Browser;
  beforeAll(async () => {
    [mail, browser] = await Promise.all([startMailServer(), startBrowser()]);
  }, 30_000);
  afterAll(async () => {
    await browser.close();
    await mail.stop();
  });
  const running = runGateway(() => ({ env: { SMTP_URL: mail.url } }));

  const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).first().click();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
  const type = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const send = async (page: Page, expected: string): Promise<void> => {
    await page.locator('button:visible', { hasText: /^Send$/ }).click();
    await page.getByText(expected, { exact: true }).first().waitFor();
  };

  test(
    'from the start page by a mail to an application, a first 200, a first 206, and why it was one',
    async () => {
      const startedAt = performance.now();
      const { page, context, offences } = await personAt(browser, running().gateway.baseUrl);
      await page.goto('/');
      await follow(page, 'Sign up');
      await type(page, 'Name', 'Ada Sample');
      await type(page, 'Email', EMAIL);
      await press(page, 'Sign up');
      await page.goto(linkIn(await mail.next(EMAIL), '/verify/'));
      await type(page, 'Password', PASSWORD);
      await press(page, 'Activate account');
      await type(page, 'Email', EMAIL);
      await type(page, 'Password', PASSWORD);
      await press(page, 'Log in');

      await follow(page, 'New application');
      await type(page, 'Name', 'First steps');
      await press(page, 'Create');
      expect(await page.locator('main').textContent()).toMatch(/client_[0-9a-f]{20}.*fcs_/s);
      await follow(page, 'subscriptions');
      await page
        .getByRole('button', { name: /^Subscribe/ })
        .first()
        .click();
      await page
        .getByRole('button', { name: /^Unsubscribe/ })
        .first()
        .waitFor();

      await follow(page, 'console');
      await send(page, '200 OK');
      await page.getByLabel('X-Sandbox-Scenario').fill('bravo=timeout');
      await send(page, '206 Partial Content');
      await follow(page, 'Explain this request');
      await page.getByRole('heading', { name: 'Partial response' }).waitFor();
      expect(await page.locator('main').textContent()).toContain(
        'Bravo Mobility did not answer before the deadline of 2,000 ms.',
      );
      await follow(page, 'Usage');
      await page.getByText('Partial responses', { exact: true }).first().waitFor();
      expect(offences).toEqual([]);
      expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
      await context.close();
    },
    2 * MOST_MS,
  );
});

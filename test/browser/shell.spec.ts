import type { Browser } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { axeFindings, overflow, personAt, startBrowser } from '../support/browser.js';
import { runGateway } from '../support/run-gateway.js';

const PAGES = ['/'];

describeWith('chromium')('pages for everybody', () => {
  const running = runGateway();
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 30_000);
  afterAll(() => browser.close());

  describe.each(PAGES)('%s', (path) => {
    test.each([
      [360, false],
      [1440, true],
    ])('at %d px (dark: %p) fits its window, has no serious axe finding and keeps to its host and policy', async (width, isDark) => {
      const { page, context, offences } = await personAt(browser, running().gateway.baseUrl, { width, isDark });
      await page.goto(path, { waitUntil: 'networkidle' });
      expect(await overflow(page)).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      expect(offences).toEqual([]);
      await context.close();
    });
  });
});

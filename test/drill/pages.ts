import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { personAt } from '../support/browser.js';
import { browserCookie } from '../support/session.js';
import { DRILLED } from './faults.js';
import type { World } from './world.js';

/** The pages that an operator opens, by the name of their files. */
const PAGES = {
  overview: '/ops',
  suppliers: '/ops/suppliers',
  ...Object.fromEntries(DRILLED.map((id) => [`supplier-${id}`, `/ops/suppliers/${id}`])),
};

/** Saves every page as text, HTML and picture, and returns the texts by name. */
export async function savePages(
  browser: Browser,
  { baseUrl, operator }: Pick<World, 'baseUrl' | 'operator'>,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  mkdirSync(folder, { recursive: true });
  const { page, context } = await personAt(browser, baseUrl, { javaScriptEnabled: false, width: 1280 });
  await context.addCookies([browserCookie(operator.cookie)]);
  const texts: Record<string, string> = {};
  for (const [name, path] of Object.entries(PAGES)) {
    const answer = await page.goto(path, { waitUntil: 'load', timeout: 60_000 });
    if (answer?.status() !== 200) throw new Error(`${path} answers ${answer?.status()}`);
    const text = await page.locator('main').innerText();
    texts[name] = text;
    writeFileSync(join(folder, `${name}.txt`), `${path}\n\n${text}\n`);
    writeFileSync(join(folder, `${name}.html`), await page.content());
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
  await context.close();
  return texts;
}

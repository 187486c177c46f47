import axeCore from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { findBinary } from './binaries.js';

/** Chromium arguments that keep it off the network. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser for tests; describeWith('chromium') says whether there is one. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findBinary('chromium');
  if (executablePath === undefined) throw new Error('there is no chromium');
  return chromium.launch({ executablePath, args: ARGS });
}

/**
 * The page of a separate browser context (no shared cookies) limited to `baseUrl`, and the violations it has recorded.
 */
export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other hosts, Content-Security-Policy violations, script errors: must stay empty. */
  readonly offences: readonly string[];
}

/** Opens a browser window for one person. `javaScriptEnabled` false = scripts are off. */
export async function personAt(
  browser: Browser,
  baseUrl: string,
  { javaScriptEnabled = true, width = 1440, isDark = false } = {},
): Promise<Person> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    javaScriptEnabled,
    viewport: { width, height: 900 },
    colorScheme: isDark ? 'dark' : 'light',
  });
  const page = await context.newPage();
  const offences: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`${baseUrl}/`) && !request.url().startsWith('data:'))
      offences.push(`left the host: ${request.url()}`);
  });
  page.on('pageerror', (error) => offences.push(`script error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy/.test(message.text())) offences.push(message.text());
  });
  return { page, context, offences };
}

/** Findings of axe at every level on the page as it is shown, one line each. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Injected by the debugger, which no Content-Security-Policy stops.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeCore.source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof axeCore };
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

/** A window in which pages are judged. */
export interface Window {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

/** A phone, and a desktop in the dark. */
const WINDOWS: readonly Window[] = [
  { width: 360, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
];

/** Pixels by which the page, as it is shown, is wider than a narrow window, and than a wide dark one; zeros = it fits. */
export async function overflows(page: Page): Promise<number[]> {
  const found: number[] = [];
  for (const window of WINDOWS) {
    await show(page, window);
    found.push(await overflow(page));
  }
  return found;
}

async function show(page: Page, { width, colorScheme }: Window): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
}

/**
 * What is wrong with the page in each window, one line each: pixels by which it is wider than the window, and findings
 * of axe. The page is loaded only once: `judged` is called in each window, before the next one.
 */
export async function windowFindings(
  page: Page,
  windows = WINDOWS,
  judged: (window: Window) => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const found: string[] = [];
  for (const window of windows) {
    await show(page, window);
    const tooWide = await overflow(page);
    const findings = [...(tooWide === 0 ? [] : [`${tooWide} px wider than its window`]), ...(await axeFindings(page))];
    found.push(...findings.map((finding) => `${window.width} px, ${window.colorScheme}: ${finding}`));
    await judged(window);
  }
  return found;
}

/** Presses Tab until the element has the focus; fails if it never does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    // Not by :focus, which a date field lacks while its calendar button has the focus.
    const isFocused = await target.evaluate((element) => {
      const { ownerDocument } = element as unknown as { ownerDocument: { activeElement: unknown } };
      return ownerDocument.activeElement === element;
    });
    if (isFocused) return;
  }
  throw new Error(`Tab never reaches ${target}`);
}

/** Pixels by which the page is wider than its window; 0 = it fits. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { documentElement } = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document;
    return documentElement.scrollWidth - documentElement.clientWidth;
  });
}

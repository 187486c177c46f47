import type { Browser } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { personAt, startBrowser, windowFindings } from '../support/browser.js';
import { claim } from '../support/claim.js';
import { plainRequest } from '../support/plain-request.js';
import { PortalPerson } from '../support/portal-person.js';
import { runGateway } from '../support/run-gateway.js';

const PAGES = ['/', '/status'];
const ENTRIES = ['Home', 'Logs', 'Reservations', 'Usage', 'Applications', 'Console', 'Docs', 'Status'];

// The embedded database: `/outbox` exists only with it.
const running = runGateway({ embedded: true });

describe('every page says to browsers what it may do', () => {
  claim.each([
    ['/', 200],
    ['/login', 200],
    ['/console', 200],
    ['/docs/errors', 200],
    ['/outbox/link', 200],
    ['/outbox', 404],
    ['/nowhere', 404],
  ])(
    ['portal', 'V3.2', 'V3.4'],
    'The Content-Security-Policy of pages allows nothing inline, no wildcard and no frame.',
    '%s',
    async (path, status) => {
      const answer = await fetch(`${running().gateway.baseUrl}${path}`, { headers: { accept: 'text/html' } });
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect([answer.status, policy.includes("frame-ancestors 'none'"), policy.includes("default-src 'none'")]).toEqual(
        [status, true, true],
      );
      expect(policy).not.toMatch(/unsafe|\*/);
    },
  );
});

test('a page that does not exist links to those that do', async () => {
  const page = await fetch(`${running().gateway.baseUrl}/nowhere`, { headers: { accept: 'text/html' } });
  const main = /<main[\s\S]*<\/main>/.exec(await page.text())?.[0] ?? '';
  expect([...main.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)).toEqual([
    '/',
    '/docs',
    '/console',
    '/applications',
    '/status',
  ]);
});

describe('without a mail server', () => {
  const person = () => new PortalPerson(running().gateway.baseUrl);
  const signUp = (email: string) => person().submit('/signup', { name: 'Ada Sample', email });
  /** Someone who opened the outbox with the printed link. */
  async function reader(): Promise<PortalPerson> {
    const { baseUrl, outboxLink = '' } = running().gateway;
    const { pathname, hash } = new URL(outboxLink);
    const opened = person();
    expect((await opened.get(new URL(pathname + hash, baseUrl).href)).location).toBe('/outbox');
    return opened;
  }
  /** Emails are written after the answer. */
  async function outboxWith(text: string): Promise<string> {
    const opened = await reader();
    const { text: found } = await eventually(
      () => opened.get('/outbox'),
      (page) => page.text.includes(text),
    );
    return found;
  }

  test('the outbox page has all emails, newest first, with working links, says who can see them, and is only for this machine', async () => {
    const { outbox = '' } = await reader();
    expect((await (await reader()).get('/outbox')).text).toContain('No emails yet');
    expect((await signUp('ada@example.com')).status).toBe(303);
    await outboxWith('To ada@example.com');
    expect((await person().get('/sent?about=signup')).text).toContain('href="/outbox"');
    await signUp('bea@example.com');
    const page = await outboxWith('To bea@example.com');
    expect(page).toMatch(/To bea@example\.com.*To ada@example\.com/s);
    expect(page).toContain('can read all emails');
    const { baseUrl, port } = running().gateway;
    const seen = async (headers: Readonly<Record<string, string>>) =>
      (await plainRequest(`${baseUrl}/outbox`, { cookie: outbox, ...headers })).status;
    expect([await seen({ host: `localhost:${port}` }), await seen({ host: `[::1]:${port}` })]).toEqual([200, 200]);
    // A page that rebinds its name to this machine, and a proxy in front of it.
    for (const headers of [
      { host: `rebound.example:${port}` },
      { host: `localhost.example:${port}` },
      ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].map((name) => ({
        [name]: '127.0.0.1',
      })),
    ])
      expect([headers, await seen(headers)]).toEqual([headers, 404]);
    const link = /<a href="([^"]+\/verify\/[^"]+)">/.exec(page)?.[1] ?? '';
    const activated = await person().follow(link, { new_password: 'three quiet herons' });
    expect(activated.location).toBe('/');
  });

  claim(
    ['portal', 'environments'],
    'In a sandbox without a mail server, emails are shown only to a browser that was given the key of the page, which is printed at start and never part of a URL that is sent.',
    async () => {
      const { baseUrl, outboxLink = '' } = running().gateway;
      const { pathname, hash } = new URL(outboxLink);
      // What a proxy that sets no forwarding header passes on is the same as these.
      const statuses: Record<string, number> = {};
      for (const path of ['/outbox', `/outbox?key=${hash.slice(1)}`])
        statuses[path] = (await person().get(path)).status;
      expect(Object.values(statuses)).toEqual([404, 404]);
      for (const key of ['', 'A'.repeat(43), hash.slice(1, -4), `${hash.slice(1)}A`]) {
        const refused = await person().submit(pathname, { secret: key });
        expect([key, refused.status, refused.headers.get('set-cookie')]).toEqual([key, 404, null]);
      }
      for (const value of ['', 'A'.repeat(43), hash.slice(1, -4)]) {
        const stranger = person();
        stranger.outbox = `__Host-forecourt-outbox=${value}`;
        expect([value, (await stranger.get('/outbox')).status]).toEqual([value, 404]);
      }
      const form = await person().get(pathname);
      expect([form.status, form.text.includes(hash.slice(1))]).toEqual([200, false]);
      expect((await person().submit(pathname, { secret: outboxLink })).headers.get('set-cookie')).toBe(
        `forecourt-outbox=${hash.slice(1)}; Path=/; HttpOnly; SameSite=Strict`,
      );
      expect((await plainRequest(`${baseUrl}${pathname}`, { via: '1.1 proxy' })).status).toBe(404);
    },
  );

  test('the log says where the email is, but not its recipient or link', async () => {
    await running().gateway.child.printed('the email stays in the outbox');
    const { child, outboxLink = '' } = running().gateway;
    expect(child.output().split(outboxLink)).toHaveLength(2);
    expect(child.output().replace(outboxLink, '')).not.toMatch(/ada@example\.com|#[\w-]{43}/);
  });
});

describeWith('chromium')('public pages', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 30_000);
  afterAll(() => browser.close());

  test('the front page draws a real 206 that the request log has, offers commands to copy, and stays small', async () => {
    const { page, context } = await personAt(browser, running().gateway.baseUrl);
    await page.goto('/');
    // The first visitor waits for the example, but not for long.
    while ((await page.locator('.waterfall').count()) === 0) await page.reload();
    const text = (await page.locator('main').textContent()) ?? '';
    expect(text).toMatch(
      /206 Partial Content.*4 suppliers were called; 3 answered in full\..*Dune Drive could not be/s,
    );
    expect(await page.locator('.waterfall .lane').count()).toBeGreaterThan(4);
    expect(await page.locator('.waterfall .cross').count()).toBe(1);
    expect(await page.locator('[data-copy=sample]').count()).toBe(1);
    expect(await page.locator('.suppliers .badge').count()).toBe(4);
    expect(await page.locator('header nav a').allTextContents()).toEqual(ENTRIES);
    expect((await page.content()).length).toBeLessThan(40_000);
    await context.close();
  }, 30_000);

  test('the outbox fits a narrow and a wide dark window, and its links lead on', async () => {
    const { baseUrl, outboxLink = '' } = running().gateway;
    const email = 'out@example.com';
    await new PortalPerson(baseUrl).submit('/signup', { name: 'Ada Sample', email });
    const { page, context, offences } = await personAt(browser, baseUrl, { width: 360 });
    const { pathname, hash } = new URL(outboxLink);
    await page.clock.install();
    await page.goto(pathname + hash);
    await page.waitForURL('**/outbox');
    // Mails are written after the answer.
    for (let look = 0; look < 50 && (await page.getByText(`To ${email}`).count()) === 0; look += 1) await page.reload();
    expect(await windowFindings(page)).toEqual([]);
    // The next one appears by itself, but a hidden page asks for nothing.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.evaluate(setVisibility, false);
    await page.clock.runFor(20_000);
    expect(asked).toEqual([]);
    await new PortalPerson(baseUrl).submit('/signup', { name: 'Ada Sample', email: 'next@example.com' });
    await page.evaluate(setVisibility, true);
    await page.getByText('To next@example.com').waitFor();
    await page
      .getByRole('article')
      .filter({ hasText: `To ${email}` })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Activate account' }).waitFor();
    expect(offences).toEqual([]);
    await context.close();
  });

  claim.each(PAGES)(
    ['portal', 'V3.2', 'V3.4'],
    'In a browser, public pages contact no other host and violate nothing in their Content-Security-Policy.',
    '%s fits a narrow and a wide dark window and has no serious axe finding',
    async (path) => {
      const { page, context, offences } = await personAt(browser, running().gateway.baseUrl, { width: 360 });
      await page.goto(path, { waitUntil: 'load' });
      expect(await windowFindings(page)).toEqual([]);
      expect(offences).toEqual([]);
      await context.close();
    },
  );
});

/** Makes the page look visible or hidden to its scripts; runs in the browser. */
function setVisibility(isVisible: boolean): void {
  const { document, Event } = globalThis as unknown as {
    document: { dispatchEvent(event: unknown): void };
    Event: new (name: string) => unknown;
  };
  Object.defineProperty(document, 'hidden', { value: !isVisible, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

import { setTimeout as wait } from 'node:timers/promises';
import { TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { overflows, type Person, personAt, startBrowser, windowFindings } from '../support/browser.js';
import { claim } from '../support/claim.js';
import { linkIn } from '../support/mail-server.js';
import { PortalPerson } from '../support/portal-person.js';
import { browserCookie, signIn } from '../support/session.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';

const PASSWORD = 'three quiet herons';

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('accounts in a browser', () => {
  const running = sharedGateway();
  let mail: SharedGateway['mail'];
  let browser: Browser;
  beforeAll(async () => {
    mail = running().mail;
    browser = await startBrowser();
  }, 30_000);
  afterAll(() => browser.close());
  const open = (options: Parameters<typeof personAt>[2] = {}) => personAt(browser, running().gateway.baseUrl, options);

  async function expectGood({ page, offences }: Pick<Person, 'page' | 'offences'>): Promise<void> {
    expect(await windowFindings(page)).toEqual([]);
    expect(offences).toEqual([]);
  }

  const typeInto = async (page: Page, label: string, text: string) =>
    page.getByLabel(label, { exact: true }).fill(text);

  test('work without JavaScript, from sign-up by email to login and logout', async () => {
    const email = 'mouse@browser.example';
    const { page, context, offences } = await open({ javaScriptEnabled: false });
    await page.goto('/');
    await page.getByRole('link', { name: 'Sign up' }).first().click();
    await typeInto(page, 'Name', 'Ada Sample');
    await typeInto(page, 'Email', email);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const link = linkIn(await mail.next(email), '/verify/');
    const isSeen = seenIn(page, link);
    await page.goto(link);
    await typeInto(page, 'Link from the email', link);
    await page.getByRole('button', { name: 'Continue' }).click();
    await typeInto(page, 'Password', PASSWORD);
    await page.getByRole('button', { name: 'Activate account' }).click();
    await page.getByRole('heading', { name: 'Welcome, Ada Sample' }).waitFor();
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    expect(isSeen()).toEqual([]);
    await page.goto('/account');
    await typeInto(page, 'Email', email);
    await typeInto(page, 'Password', PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(await page.getByRole('link', { name: 'Ada Sample' }).getAttribute('href')).toBe('/account');
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.getByText("You're logged out.").waitFor();
    await page.goto('/account');
    expect(new URL(page.url()).pathname).toBe('/login');
    expect(offences).toEqual([]);
    await context.close();
  }, 60_000);

  test('another link that is pasted into the address bar of a page behind a link leads to its own page', async () => {
    const { page, context, offences } = await open();
    const links: string[] = [];
    for (const email of ['one@browser.example', 'two@browser.example']) {
      await new PortalPerson(running().gateway.baseUrl).submit('/signup', { name: 'Ada Sample', email });
      links.push(linkIn(await mail.next(email), '/verify/'));
    }
    for (const [link = '', email] of [
      [links[0], 'one@browser.example'],
      [links[1], 'two@browser.example'],
    ]) {
      await page.goto(link);
      await page.locator(`#username[value="${email}"]`).waitFor();
    }
    // From the page of an invalid link as well.
    await page.goto(`/verify/link#${'x'.repeat(43)}`);
    await page.getByRole('heading', { name: 'Invalid link' }).waitFor();
    await page.goto(String(links[0]));
    await page.getByRole('button', { name: 'Activate account' }).waitFor();
    expect(offences).toEqual([]);
    await context.close();
  }, 30_000);

  test('all of it with scripts, by the keyboard alone', async () => {
    const email = 'keys@browser.example';
    const { page, context, offences } = await open();
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press('Tab');
        if ((await page.locator(':focus').evaluate(nameOf)) === name) return;
      }
      throw new Error(`Tab never reached ${name}`);
    };
    const enter = async (field: string, text: string): Promise<void> => {
      await tabTo(field);
      await page.keyboard.type(text);
    };
    const pressAndWait = async (heading: string): Promise<void> => {
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: heading }).waitFor();
    };
    await page.goto('/signup');
    await enter('Name', 'Keys Sample');
    await enter('Email', email);
    await pressAndWait('Check your email');
    const link = linkIn(await mail.next(email), '/verify/');
    const isSeen = seenIn(page, link);
    await page.goto(link);
    await page.getByRole('button', { name: 'Activate account' }).waitFor();
    await enter('Password', PASSWORD);
    await pressAndWait('Welcome, Keys Sample');
    await tabTo('Log out');
    await pressAndWait('Log in');
    await page.getByText("You're logged out.").waitFor();
    expect(isSeen()).toEqual([]);
    await page.goto('/account');
    await enter('Email', email);
    await enter('Password', PASSWORD);
    await pressAndWait('Your account');
    expect(await page.getByRole('link', { name: 'Keys Sample' }).getAttribute('href')).toBe('/account');
    expect(offences).toEqual([]);
    await context.close();
  }, 60_000);

  test('a rejected form highlights errors, keeps the input except the password, and has no layout or axe problems', async () => {
    const person = await open({ width: 360 });
    const { page, context } = person;
    await new PortalPerson(running().gateway.baseUrl).submit('/signup', { name: 'Ada', email: 'ada@browser.example' });
    await page.goto(linkIn(await mail.next('ada@browser.example'), '/verify/'));
    await page.getByLabel('Name', { exact: true }).fill('Ada Sample');
    await typeInto(page, 'Password', 'password1234');
    await page.getByRole('button', { name: 'Activate account' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada Sample');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await expectGood(person);
    await context.close();
  });

  claim.each([
    ['/signup', { name: 'name', email: 'email' }],
    ['/login', { email: 'username', password: 'current-password' }],
    ['/reset', { email: 'username' }],
  ])(
    ['portal', 'V6.2'],
    'Password managers recognize the fields of sign-up, login and reset, and pasting is allowed.',
    '%s',
    async (path, fields) => {
      const { page, context } = await open();
      await page.goto(path);
      for (const [name, autocomplete] of Object.entries(fields)) {
        expect(await page.locator(`main input[name=${name}]`).getAttribute('autocomplete')).toBe(autocomplete);
        expect(await page.locator(`main input[name=${name}]`).getAttribute('onpaste')).toBeNull();
      }
      await context.close();
    },
  );

  test('a second factor is set up, used and managed without scripts, and its pages fit a narrow and a wide window', async () => {
    const email = 'factor@browser.example';
    const api = new PortalPerson(running().gateway.baseUrl);
    await api.submit('/signup', { name: 'Ada Sample', email });
    await api.follow(linkIn(await mail.next(email), '/verify/'), { new_password: PASSWORD });
    const person = await open({ javaScriptEnabled: false });
    const { page, context, offences } = person;
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const logIn = async (): Promise<void> => {
      await page.goto('/login?next=/account/two-factor');
      await typeInto(page, 'Email', email);
      await typeInto(page, 'Password', PASSWORD);
      await press('Log in');
    };
    await logIn();
    await page.getByRole('img', { name: 'QR code with the setup key' }).waitFor();
    const secret = (await page.locator('code.key').textContent())?.replaceAll(' ', '') ?? '';
    const codeOf = (timestamp: number) => new TOTP({ secret }).generate({ timestamp });
    await typeInto(page, 'Code', '000000');
    await press('Turn on');
    await page.getByRole('alert').waitFor();
    expect(await overflows(page)).toEqual([0, 0]);
    // The code before is valid until the next step begins, which on a slow machine is before the page has sent it.
    const isLate = Date.now() % 30_000 > 15_000;
    if (isLate) await wait(30_000 - (Date.now() % 30_000));
    await typeInto(page, 'Code', codeOf(Date.now() - 30_000));
    await press('Turn on');
    await page.getByText('I stored the codes').waitFor();
    const [recovery = ''] = await page.locator('.recovery-codes code').allTextContents();
    expect(await overflows(page)).toEqual([0, 0]);
    await press('Log out');
    await logIn();
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    expect(await overflows(page)).toEqual([0, 0]);
    await typeInto(page, 'Code', codeOf(Date.now()));
    await press('Log in');
    await page.getByText('10 recovery codes are left.').waitFor();
    expect(await overflows(page)).toEqual([0, 0]);
    await page.locator('#off-code').fill(recovery);
    await press('Turn off');
    await page.getByText('Two-factor authentication is off.').waitFor();
    expect(offences).toEqual([]);
    await context.close();
  }, 90_000);

  // All pages: accounts-pages.long.spec.ts.
  claim.each([
    ['/signup', 200],
    ['/login?notice=verified', 200],
    [`/verify/link#${'x'.repeat(43)}`, 404],
    ['/account?notice=name_changed', 200],
    ['/account/two-factor', 200],
  ])(
    ['portal', 'V3.2', 'V3.4'],
    'In a browser, pages of accounts contact no other host and violate nothing in their Content-Security-Policy.',
    '%s fits a narrow and a wide dark window and has no serious axe finding',
    async (path, status) => {
      const person = await open({ width: 360 });
      const { page, context } = person;
      const { postgres, redis } = running();
      if (path.startsWith('/account'))
        await context.addCookies([browserCookie(await signIn(postgres, redis.url, 'acc_browser'))]);
      const answered = page.waitForResponse(
        (response) => response.url().endsWith(path.replace(/#.*/, '')) && response.status() === status,
      );
      await page.goto(path, { waitUntil: 'load' });
      await answered;
      await page.waitForLoadState('load');
      expect(page.url().replace(/^https?:\/\/[^/]+/, '')).toBe(path.replace(/#.*/, ''));
      await expectGood(person);
      await context.close();
    },
  );
});

/**
 * From now on, collects the URLs and referrers of the page's requests; the returned function has those with the secret of
 * the link. A proxy logs them. The address bar has the fragment only where no script could remove it.
 */
function seenIn(page: Page, link: string): () => string[] {
  const secret = link.split('#')[1] ?? '';
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url(), request.headers().referer ?? ''));
  return () => seen.filter((url) => url.split('#')[0]?.includes(secret));
}

/** How the element with the focus is called; runs in the browser. */
function nameOf(element: unknown): string {
  const { labels, textContent } = element as { labels?: ArrayLike<{ textContent: string }>; textContent: string };
  return (labels?.[0]?.textContent ?? textContent).trim();
}

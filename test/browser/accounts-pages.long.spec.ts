import type { Browser } from 'playwright-core';
import { describeWith } from '../support/binaries.js';
import { type Person, personAt, startBrowser, windowFindings } from '../support/browser.js';
import { linkIn } from '../support/mail-server.js';
import { PortalPerson } from '../support/portal-person.js';
import { type SharedGateway, sharedGateway } from '../support/shared-gateway.js';

const PASSWORD = 'three quiet herons';

describeWith(
  'chromium',
  'redis-server',
  'initdb',
)('pages of accounts in a narrow and a wide dark window', () => {
  const running = sharedGateway();
  let mail: SharedGateway['mail'];
  let browser: Browser;
  beforeAll(async () => {
    mail = running().mail;
    browser = await startBrowser();
  }, 30_000);
  afterAll(() => browser.close());
  const open = (options: Parameters<typeof personAt>[2] = {}) => personAt(browser, running().gateway.baseUrl, options);

  let secrets: { verify: string; reset: string; used: string };
  /** Windows without and with a session; each page is opened where the one before was. */
  let visitor: Person;
  let member: Person;
  const email = 'windows@browser.example';

  beforeAll(async () => {
    const person = new PortalPerson(running().gateway.baseUrl);
    const pathOf = async (kind: 'verify' | 'reset', to: string) => {
      const { pathname, hash } = new URL(linkIn(await mail.next(to), `/${kind}/`));
      return pathname + hash;
    };
    await person.submit('/signup', { name: `Ada ${'Sample '.repeat(9)}`, email });
    const used = await pathOf('verify', email);
    await person.follow(used, { new_password: PASSWORD });
    await person.submit('/reset', { email });
    const reset = await pathOf('reset', email);
    await person.submit('/signup', { name: 'Ada Sample', email: `new-${email}` });
    const verify = await pathOf('verify', `new-${email}`);
    await person.submit('/login', { email, password: PASSWORD });
    await person.submit('/account/name', { name: `Ada ${'Sample '.repeat(9)}Long`, name_password: PASSWORD });
    secrets = { verify, reset, used };
    [visitor, member] = [await open({ width: 360 }), await open({ width: 360 })];
    const [name = '', value = ''] = person.cookie?.split('=', 2) ?? [];
    const url = running().gateway.baseUrl.replace('http:', 'https:');
    await member.context.addCookies([{ name, value, url, secure: true }]);
  }, 30_000);
  afterAll(() => Promise.all([visitor.context.close(), member.context.close()]));

  test.each([
    ['/signup', 200],
    ['/sent?about=signup', 200],
    ['/sent?about=reset', 200],
    ['/resend', 200],
    ['/login?notice=verified', 200],
    ['/reset', 200],
    ['verify', 200],
    ['reset', 200],
    ['used', 410],
    ['/verify/link', 200],
    [`/verify/link#${'x'.repeat(43)}`, 404],
    [`/reset/link#${'x'.repeat(43)}`, 404],
    ['/account?notice=name_changed', 200],
    ['/confirm?next=/account', 200],
    ['/account/two-factor', 200],
  ])('%s fits and has no serious axe finding', async (name, status) => {
    const path = name in secrets ? secrets[name as keyof typeof secrets] : name;
    const person = /^\/(account|confirm)/.test(path) ? member : visitor;
    // A page whose URL differs only in its fragment would not be loaded again.
    await person.page.goto('about:blank');
    const opened = path.includes('#')
      ? person.page.waitForResponse((response) => response.request().method() === 'POST')
      : undefined;
    const response = await person.page.goto(path, { waitUntil: 'load' });
    expect(((await opened) ?? response)?.status()).toBe(status);
    await person.page.waitForLoadState('load');
    expect(person.page.url().replace(/^https?:\/\/[^/]+/, '')).toBe(path.replace(/#.*/, ''));
    expect(await windowFindings(person.page)).toEqual([]);
    expect(person.offences).toEqual([]);
  });
});

import { describeWith } from '../support/binaries.js';
import { runVisitedGateway, type Visited, visitSharedGateway } from '../support/docs-visitor.js';

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** Requests a token as the console's script does, unless the headers differ. */
async function askToken(
  { gateway, cookie }: Visited,
  application: string,
  headers: Record<string, string> = { ...SAME_ORIGIN, cookie },
) {
  const url = `${gateway.baseUrl}/console/token`;
  return fetch(url, { method: 'POST', headers, body: new URLSearchParams({ application }), redirect: 'manual' });
}

describeWith('redis-server', 'initdb')('/console/token', () => {
  const visited = runVisitedGateway({ config: { settings: { tokens: { maxLivePerApplication: 3 } } } });

  test('gives the owner a working token of the application, which counts against its limits, without requiring a secret', async () => {
    const response = await askToken(visited(), 'app_demo');
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { access_token, expires_in } = (await response.json()) as { access_token: string; expires_in: number };
    expect(access_token).toMatch(/^fc_s_demo_demo_/);
    expect(expires_in).toBe(7199);
    const { client } = visited();
    const search = (token: string) => client.get('/cars/locations/v1/?keyword=boston', { token });
    const first = await search(access_token);
    const second = await search(await client.token());
    expect([first.status, second.status]).toEqual([200, 200]);
    // They share one limit: what the console uses counts against the application.
    expect(Number(second.headers['x-ratelimit-remaining'])).toBeLessThanOrEqual(
      Number(first.headers['x-ratelimit-remaining']),
    );
  });

  test("its tokens count toward the application's cap: the oldest one is revoked", async () => {
    const tokenOf = async (response: Response): Promise<string> =>
      ((await response.json()) as { access_token: string }).access_token;
    const oldest = await tokenOf(await askToken(visited(), 'app_demo'));
    const live = (token: string) => visited().client.get('/cars/locations/v1/?keyword=boston', { token });
    for (let more = 0; more < 2; more += 1) await askToken(visited(), 'app_demo');
    expect((await live(oldest)).status).toBe(200);
    await askToken(visited(), 'app_demo');
    expect((await live(oldest)).status).toBe(401);
  }, 60_000);

  test.each(['app_demounsubscribed', 'app_nothing', 'app_\0x', ''])(
    'rejects %j, which the visitor does not own',
    async (application) => {
      const response = await askToken(visited(), application);
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain('fc_s_');
    },
  );

  test('rejects a form of another site', async () => {
    const { cookie } = visited();
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await askToken(visited(), 'app_demo', { 'sec-fetch-site': site, cookie })).status).toBe(403);
    }
    expect((await askToken(visited(), 'app_demo', { cookie })).status).toBe(403);
  });

  test('never redirects to the login page', async () => {
    const response = await askToken(visited(), 'app_demo', SAME_ORIGIN);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/login?notice=session_over']);
  });

  test('too many per minute are a 429 that says when to retry', async () => {
    let limited: Response | undefined;
    for (let round = 0; round < 10 && !limited; round += 1) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => askToken(visited(), 'app_demo')));
      limited = answers.find(({ status }) => status === 429);
    }
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
  }, 60_000);
});

describeWith('redis-server', 'initdb')('the console for a visitor who cannot send yet', () => {
  const visited = visitSharedGateway();
  const open = async (cookie: string): Promise<string> =>
    (await fetch(`${visited().gateway.baseUrl}/console?operation=priceOffer`, { headers: { cookie } })).text();

  test('shows the next step: log in, or, for a person without an application, create one', async () => {
    const anonymous = await open('');
    expect(anonymous).toContain(
      `href="/login?next=${encodeURIComponent('/console?operation=priceOffer')}">Log in to send<`,
    );
    const newcomer = await open(await visited().signIn('acc_newcomer'));
    expect([
      newcomer.includes('Log in to send'),
      newcomer.includes('href="/applications/new">Create an application to send<'),
    ]).toEqual([false, true]);
  });
});

describeWith('redis-server', 'initdb')('the console in production', () => {
  const visited = runVisitedGateway({ env: { FORECOURT_ENV: 'production' } });

  test('returns no token and says why; the page shows the operations without a button', async () => {
    expect((await askToken(visited(), 'app_demo')).status).toBe(403);
    const html = await (
      await fetch(`${visited().gateway.baseUrl}/console`, { headers: { cookie: visited().cookie } })
    ).text();
    expect(html).toContain('This is a production gateway');
    expect(html).toContain('Search vehicles');
    expect(html).not.toContain('type="submit" disabled');
    expect(html).not.toMatch(/(?:Log in|Create an application) to send/);
  });
});

import { request as httpRequest } from 'node:http';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { type RunningProxy, startHaproxy, startNginx } from '../support/proxies.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import type { DemoName } from '../support/start-gateway.js';

const TOKEN = '/oauth/token/v1';

interface Got {
  readonly status: number;
  /** HIT if the cache answered. */
  readonly cache: unknown;
  readonly text: string;
}

/** A GET on its own connection. */
function get(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false }, async (answer) => {
      let text = '';
      for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
      resolve({ status: answer.statusCode ?? 0, cache: answer.headers['x-cache'], text });
    });
    request.once('error', reject);
    request.end();
  });
}

type Gateways = Parameters<typeof startNginx>[0];

/** nginx that caches what Cache-Control and Vary allow, for ten minutes if they say nothing. */
const startCachingNginx = async (gateways: Gateways): Promise<RunningProxy> =>
  startNginx(gateways, (folder) => `proxy_cache_path ${folder}/cache keys_zone=honest:1m;\n`, {
    'proxy_cache off;':
      'proxy_cache honest; proxy_cache_key $request_uri; proxy_cache_valid 200 10m; add_header X-Cache $upstream_cache_status always;',
  });

/** HAProxy that caches what Cache-Control and Vary allow. */
const startCachingHaproxy = (gateways: Gateways): Promise<RunningProxy> =>
  startHaproxy(gateways, {
    'frontend api':
      'cache honest\n  total-max-size 4\n  max-object-size 900000\n  max-age 600\n  process-vary on\n\nfrontend api',
    '  compression algo gzip\n  compression type application/json\n': '',
    '  default_backend gateways':
      '  http-request cache-use honest\n  http-response cache-store honest\n  http-after-response set-header X-Cache HIT if { res.cache_hit }\n  default_backend gateways',
  });

describeWith('nginx', 'haproxy')('a shared cache in the proxy that follows Cache-Control and Vary', () => {
  const running = sharedGateway();
  const pairOf = (name: DemoName) => {
    const { client_id, client_secret } = running().gateway.credentials(name);
    return { client_id, client_secret };
  };

  describe.each([
    ['nginx', startCachingNginx],
    ['HAProxy', startCachingHaproxy],
  ])('%s', (_name, startProxy) => {
    let proxy: RunningProxy;
    const ask = (path: string, headers: Readonly<Record<string, string>> = {}) => get(proxy.port, path, headers);
    const tokenOf = async (name: DemoName): Promise<string> => {
      const { text } = await ask(TOKEN, pairOf(name));
      return (JSON.parse(text) as { access_token: string }).access_token;
    };
    beforeAll(async () => {
      const { gateway } = running();
      proxy = await startProxy([gateway, gateway]);
    }, 30_000);
    afterAll(() => proxy.stop());

    test('caches what is public', async () => {
      // A proxy stores an answer a moment after it was sent.
      const again = await eventually(
        () => ask('/openapi.json'),
        ({ cache }) => cache === 'HIT',
      );
      expect(again.status).toBe(200);
    });

    claim(
      ['API8', 'V14.2.2'],
      'A shared cache never returns a token to another client, to a client without credentials, or a second time to the same client.',
      async () => {
        const tokens = [
          await tokenOf('demo'),
          await tokenOf('demo-unsubscribed'),
          await tokenOf('demo'),
          await tokenOf('demo-unsubscribed'),
        ];
        expect(new Set(tokens).size).toBe(4);
        const wrong = { ...pairOf('demo'), client_secret: 'wrong' };
        expect([(await ask(TOKEN, wrong)).status, (await ask(TOKEN)).status]).toEqual([400, 401]);
        expect((await ask(TOKEN, pairOf('demo'))).cache).not.toBe('HIT');
      },
    );

    claim.each(['', 'bravo=error(503)'])(
      ['API8', 'V14.2.2'],
      "A shared cache never returns one application's search results to another application or to a client without a token.",
      'scenario "%s"',
      async (scenario) => {
        const more: Record<string, string> = scenario === '' ? {} : { 'x-sandbox-scenario': scenario };
        const mine = { ...more, authorization: `Bearer ${await tokenOf('demo')}` };
        const theirs = { ...more, authorization: `Bearer ${await tokenOf('demo-unsubscribed')}` };
        for (const path of [locationsPath('boston'), vehiclesPath()]) {
          const statuses = [await ask(path, mine), await ask(path, theirs), await ask(path)].map(
            ({ status }) => status,
          );
          expect(statuses).toEqual([scenario === '' ? 200 : 206, 403, 401]);
          expect((await ask(path, mine)).cache).not.toBe('HIT');
        }
      },
    );
  });
});

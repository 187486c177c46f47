import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith } from '../support/binaries.js';
import { EXAMPLE_LANGUAGES, SEPARATOR } from '../support/example-runs.js';
import { localGateway } from '../support/local-gateway.js';
import { membersOf } from '../support/members.js';
import { dayAhead } from '../support/rental.js';

const run = promisify(execFile);
/** After all others, because nothing works after it, or with what it deletes. */
const LAST = ['replaceReservation', 'cancelReservation', 'deleteWebhookEndpoint', 'revokeToken'];

/** What the page of an operation shows. */
interface Shown {
  readonly id: string;
  /** By language. */
  readonly code: Readonly<Record<string, string>>;
  /** The first status of its table, and the response beside it; undefined = none. */
  readonly status: string;
  readonly response: string | undefined;
}

/** The members of answers whose ids examples take. */
interface Answer {
  readonly vehicles: readonly [{ readonly offer_id: string }];
  readonly search_id: string;
  readonly locations: readonly [{ readonly location_id: string }];
  readonly reservation: { readonly reservation_id: string };
  readonly endpoint: { readonly endpoint_id: string };
  readonly endpoints: readonly { readonly endpoint_id: string }[];
}

/** Members that a response has only after something else happened. */
const VARYING = /\b(?:failing_since|previous_secret_until)$/;

const plain = (html: string): string => html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const rankOf = ({ id }: Shown): number => LAST.indexOf(id);

describe('the examples on the pages of operations', () => {
  const running = localGateway();
  const url = (path: string): string => `${running().gateway.baseUrl}${path}`;
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-examples-'));
  let pages: readonly Shown[] = [];
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(async () => {
    const index = await (await fetch(url('/docs/operations'))).text();
    const ids = new Set([...index.matchAll(/href="\/docs\/operations\/(\w+)"/g)].map(([, id = '']) => id));
    pages = (await Promise.all([...ids].map(readPage))).sort((one, other) => rankOf(one) - rankOf(other));
  });

  async function readPage(id: string): Promise<Shown> {
    const html = await (await fetch(url(`/docs/operations/${id}`))).text();
    const blocks = [...html.matchAll(/<code id="example-code-(\w+)">([^<]*)</g)];
    const code = Object.fromEntries(blocks.map(([, language = '', text = '']) => [language, plain(text)]));
    const [, status, response] = /<code id="response-(\d+)">([^<]*)</.exec(html) ?? [];
    const [, first = ''] = /<td>(\d+)<\/td>/.exec(html) ?? [];
    return { id, code, status: status ?? first, response: response === undefined ? undefined : plain(response) };
  }

  test('there is a page for every operation of the API description, with code in six languages', async () => {
    const { paths } = (await (await fetch(url('/openapi.json'))).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const all = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(pages.map(({ id }) => id).sort()).toEqual(all.filter((id) => !/Alias\d+$/.test(id)).sort());
    const languages = EXAMPLE_LANGUAGES.map(({ id }) => id);
    expect(pages.filter(({ code }) => Object.keys(code).join() !== languages.join())).toEqual([]);
    expect(pages.filter(({ code }) => Object.values(code).some((text) => text.includes('fc_s_')))).toEqual([]);
  });

  /** What the examples need in their environment: ids of this application. */
  async function environment(): Promise<Record<string, string>> {
    const { client_id, client_secret } = running().gateway.credentials();
    const issued = await fetch(url('/oauth/token/v1'), { headers: { client_id, client_secret } });
    const { access_token: token } = (await issued.json()) as { access_token: string };
    const call = async (path: string, body?: object, headers = {}) => {
      const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const type = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
      const response = await fetch(url(path), { ...sent, headers: type });
      return (await response.json()) as Answer;
    };
    const rental = `pickup_location=BOS&pickup_date=${dayAhead(30)}&dropoff_date=${dayAhead(34)}`;
    const found = await call(`/cars/catalog/v1/vehicles?${rental}&max_results=1`);
    const [{ offer_id }] = found.vehicles;
    const paged = await call(`/cars/catalog/v1/vehicles?${rental}&max_results=1&page_size=10`);
    const { locations } = await call('/cars/locations/v1/?keyword=boston');
    const driver = { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com' };
    const booking = { offer_id, driver };
    const book = () => call('/cars/reservation/v1/', booking, { 'idempotency-key': crypto.randomUUID() });
    // More than the list has on its first page.
    for (let count = 0; count < 3; count += 1) await book();
    const { reservation } = await book();
    const hook = { url: `https://hooks.example.com/${crypto.randomUUID()}` };
    const { endpoint } = await call('/cars/webhooks/v1/endpoints', hook);
    return {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      CLIENT_ID: client_id,
      CLIENT_SECRET: client_secret,
      TOKEN: token,
      TOKEN_OF_OTHERS: await running().client.token(),
      OFFER_ID: offer_id,
      SEARCH_ID: paged.search_id,
      LOCATION_ID: locations[0].location_id,
      RESERVATION_ID: reservation.reservation_id,
      ENDPOINT_ID: endpoint.endpoint_id,
    };
  }

  /** An application can have few of them. */
  async function deleteEndpoints(token: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const { endpoints } = (await (await fetch(url('/cars/webhooks/v1/endpoints'), { headers })).json()) as Answer;
    for (const { endpoint_id: id } of endpoints)
      await fetch(url(`/cars/webhooks/v1/endpoints/${id}`), { method: 'DELETE', headers });
  }

  describe.each(EXAMPLE_LANGUAGES)('in $id', ({ id: language, programs, isReady, prepare, command }) => {
    const describeReady = isReady?.() === false ? describe.skip : describeWith(...programs);
    describeReady('', () => {
      test('run as they are, and get what the page shows', async () => {
        const own = mkdtempSync(join(folder, `${language}-`));
        const unique = (text: string): string =>
          text
            .replace('order-4711', crypto.randomUUID())
            .replace('https://example.com/webhooks', `https://hooks.example.com/${crypto.randomUUID()}`);
        const code = pages.map(({ id, code: texts }) => [id, unique(texts[language] ?? '')]);
        await prepare(own, Object.fromEntries(code));
        const env = await environment();
        const ids = pages.map(({ id }) => id);
        const [program, words] = command(own, ids);
        const { stdout } = await run(program, [...words], { env, maxBuffer: 50_000_000 });
        const outputs = new Map(
          stdout.split(SEPARATOR).map((part) => [part.split('\n', 1).join(''), part.slice(part.indexOf('\n') + 1)]),
        );
        const wrong = pages.flatMap((page) => {
          const problem = problemOf(language, outputs.get(page.id) ?? 'no output', page);
          return problem === undefined ? [] : `${page.id}: ${problem}`;
        });
        expect(wrong).toEqual([]);
        await deleteEndpoints(env.TOKEN_OF_OTHERS ?? '');
      }, 240_000);
    });
  });

  /** What is wrong with the output of an example; undefined = nothing. */
  function problemOf(language: string, output: string, { id, status, response }: Shown): string | undefined {
    // The SDK throws for an error, and returns a part of the answer.
    if (language === 'typescript' && !/^\d{3} /.test(output))
      return /^(?:undefined|null)?$/.test(output.trim()) && response ? `printed ${output}` : undefined;
    const [, actual, body = ''] =
      (language === 'curl' ? /^HTTP\/1\.1 (\d+)[\s\S]*?\r\n\r\n([\s\S]*)$/ : /^(\d+) ?([\s\S]*)$/).exec(output) ?? [];
    if (actual !== status) return `${actual} instead of ${status}: ${output.slice(0, 300)}`;
    if (response === undefined || id === 'openapi') return undefined;
    if (!response.startsWith('{'))
      return body.trim() === response.trim() ? undefined : `another body: ${body.slice(0, 200)}`;
    const [got, shown] = [JSON.parse(body), JSON.parse(response)].map((value) =>
      membersOf(value, 5).filter((name) => !VARYING.test(name)),
    );
    const difference = [
      ...(got ?? []).filter((name) => !shown?.includes(name)).map((name) => `+${name}`),
      ...(shown ?? []).filter((name) => !got?.includes(name)).map((name) => `-${name}`),
    ];
    return difference.length === 0 ? undefined : difference.join(' ');
  }
});

import { createContext, Script } from 'node:vm';
import { z } from 'zod';
import { claim } from '../support/claim.js';
import { plainRequest } from '../support/plain-request.js';
import { sharedGateway } from '../support/shared-gateway.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const pairs = z.array(z.strictObject({ key: z.string().min(1), value: z.string() }));
const requestItem = z.strictObject({
  name: z.string().min(1),
  request: z.strictObject({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    description: z.string(),
    auth: z.strictObject({ type: z.literal('noauth') }).optional(),
    header: pairs,
    url: z.strictObject({
      raw: z.string().startsWith('{{base_url}}/'),
      host: z.array(z.string()),
      path: z.array(z.string()),
      query: pairs,
    }),
    body: z
      .union([
        z.strictObject({
          mode: z.literal('raw'),
          raw: z.string(),
          options: z.strictObject({ raw: z.strictObject({ language: z.literal('json') }) }),
        }),
        z.strictObject({ mode: z.literal('urlencoded'), urlencoded: pairs }),
      ])
      .optional(),
  }),
  response: z.array(z.never()),
});
/** The parts of the published schema of Postman's format v2.1 that this collection uses. */
const collectionSchema = z.strictObject({
  info: z.strictObject({ name: z.string().min(1), description: z.string(), schema: z.literal(SCHEMA) }),
  auth: z.strictObject({
    type: z.literal('bearer'),
    bearer: z.tuple([z.strictObject({ key: z.literal('token'), value: z.string(), type: z.literal('string') })]),
  }),
  event: z.array(
    z.strictObject({
      listen: z.enum(['prerequest', 'test']),
      script: z.strictObject({ type: z.literal('text/javascript'), exec: z.array(z.string()) }),
    }),
  ),
  variable: pairs,
  item: z.array(z.strictObject({ name: z.string().min(1), item: z.array(requestItem).min(1) })).min(1),
});
type Collection = z.infer<typeof collectionSchema>;
type RequestItem = z.infer<typeof requestItem>;
interface Sent {
  readonly url: string;
  readonly method: string;
  readonly header: Record<string, string>;
}

/** A minimal Postman runner: variables, scripts before and after, authorization, one request after the other. */
class Runner {
  readonly #variables: Map<string, string>;

  constructor(private readonly collection: Collection) {
    this.#variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  }

  set(values: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(values)) this.#variables.set(key, value);
  }

  async run({ name, request }: RequestItem): Promise<number> {
    await this.#script('prerequest', { info: { requestName: name } });
    const headers = new Headers(request.header.map(({ key, value }): [string, string] => [key, this.#resolved(value)]));
    if (!request.auth) headers.set('authorization', `Bearer ${this.#resolved(this.collection.auth.bearer[0].value)}`);
    const { body } = request;
    const response = await fetch(this.#resolved(request.url.raw), {
      method: request.method,
      headers,
      ...(body?.mode === 'raw' ? { body: this.#resolved(body.raw) } : {}),
      ...(body?.mode === 'urlencoded'
        ? { body: new URLSearchParams(body.urlencoded.map(({ key, value }) => [key, this.#resolved(value)])) }
        : {}),
    });
    const text = await response.text();
    await this.#script('test', { info: { requestName: name }, response: { text: () => text } });
    return response.status;
  }

  #resolved(text: string): string {
    return text.replace(/\{\{([$\w]+)\}\}/g, (whole, name: string) => {
      if (name === '$guid') return crypto.randomUUID();
      const value = this.#variables.get(name);
      if (!value) throw new Error(`${whole} has no value in "${text}"`);
      return value;
    });
  }

  /** Runs a script of the collection as Postman does, and waits for what it sends. */
  async #script(listen: 'prerequest' | 'test', more: object): Promise<void> {
    const sending: Promise<void>[] = [];
    const variables = this.#variables;
    const pm = {
      ...more,
      collectionVariables: {
        get: (key: string) => variables.get(key),
        set: (key: string, value: unknown) => variables.set(key, String(value)),
        unset: (key: string) => variables.delete(key),
      },
      sendRequest: ({ url, method, header }: Sent, done: (error: unknown, response: object) => void) => {
        sending.push(
          fetch(url, { method, headers: header }).then(async (response) => {
            const text = await response.text();
            done(null, { code: response.status, json: () => JSON.parse(text), text: () => text });
          }),
        );
      },
    };
    for (const event of this.collection.event.filter((other) => other.listen === listen)) {
      new Script(event.script.exec.join('\n')).runInContext(createContext({ pm, console }));
    }
    await Promise.all(sending);
  }
}

describe('/postman.json', () => {
  const running = sharedGateway();
  const download = () => fetch(`${running().gateway.baseUrl}/postman.json`);
  const collectionOf = async (): Promise<Collection> => collectionSchema.parse(await (await download()).json());

  claim.each(['/postman.json', '/llms.txt', '/.well-known/oauth-authorization-server'])(
    ['API8', 'V14.2.2'],
    "No cache keeps a document that names the host of its request, so a forged Host header can't reach another client.",
    '%s',
    async (path) => {
      const answer = await plainRequest(`${running().gateway.baseUrl}${path}`, { host: 'evil.example' });
      expect([answer.status, answer.text.includes('http://evil.example')]).toEqual([200, true]);
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );

  test('is a download in the form of a Postman collection v2.1', async () => {
    const response = await download();
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="forecourt.postman_collection.json"',
    );
    const parsed = collectionSchema.safeParse(await response.json());
    expect(parsed.error?.issues ?? []).toEqual([]);
  });

  test('has a request for each operation of /openapi.json, whose host, path and query match its raw URL', async () => {
    const requests = (await collectionOf()).item.flatMap(({ item }) => item);
    const { paths } = (await (await fetch(`${running().gateway.baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; summary: string }>>;
    };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const summaries = operations
      .filter(({ operationId }) => !/Alias\d+$/.test(operationId))
      .map(({ summary }) => summary);
    const names = requests.map(({ name }) => name);
    expect(names.filter((name) => !name.includes(': ')).sort()).toEqual(summaries.sort());
    const variants = ['Filters', 'Facets', 'Groups', 'Around a point'].map((label) => `Search vehicles: ${label}`);
    expect(names.filter((name) => name.includes(': '))).toEqual(variants);
    const point = requests.find(({ name }) => name === variants[3])?.request.url.query.map(({ key }) => key);
    expect(point).toEqual(expect.arrayContaining(['pickup_latitude', 'pickup_longitude', 'pickup_radius_km']));
    expect(point).not.toContain('pickup_location');
    for (const { request } of requests) {
      const { raw, host, path, query } = request.url;
      const text = query.map(({ key, value }) => `${key}=${value}`).join('&');
      expect(raw).toBe(`${host.join('.')}/${path.join('/')}${text === '' ? '' : `?${text}`}`);
    }
  });

  test('needs only client_id and client_secret: it requests its token, and its requests succeed in their order', async () => {
    const collection = await collectionOf();
    const runner = new Runner(collection);
    const { client_id, client_secret } = running().gateway.credentials();
    runner.set({ client_id, client_secret });
    const statuses: Record<string, number> = {};
    const items = collection.item.flatMap(({ item }) => item);
    for (const item of items) statuses[item.name] = await runner.run(item);
    expect(Object.entries(statuses).filter(([, status]) => status !== 200)).toEqual([
      ['Book an offer or quote', 201],
      ['Add an endpoint', 201],
      ['Send a test event', 202],
      ['Send events again', 202],
      ['Delete an endpoint', 204],
      ['Reset the test clock', 204],
    ]);
    expect(Object.keys(statuses)).toHaveLength(items.length);
  }, 60_000);
});

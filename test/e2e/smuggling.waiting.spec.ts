import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';
import { type FakeSupplier, reply, startFakeSupplier } from '../support/fake-supplier.js';
import { type RunningProxy, startHaproxy, startNginx } from '../support/proxies.js';
import { answersIn, type RawAnswer, rawConnect, rawExchange, untilClosed } from '../support/raw-socket.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

/** Without a token: 401 if it is parsed as a request. */
const SEARCH = '/cars/locations/v1/';
const INNER = 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: inner-request\r\n\r\n';
const LAST = 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: last-request\r\nConnection: close\r\n\r\n';

/** A POST with these framing headers; what follows the body is the smuggled request. */
const post = (framing: string, body: string, version = '1.1') =>
  `POST /cars/catalog/v1/vehicles HTTP/${version}\r\nHost: x\r\nX-Request-Id: outer-request\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${body}${INNER}`;
const get = (headers: string, target = SEARCH, version = 'HTTP/1.1') =>
  `GET ${target} ${version}\r\nX-Request-Id: outer-request\r\n${headers}\r\n\r\n${INNER}`;
const chunked = (body: string) => post('Transfer-Encoding: chunked', body);

const EMPTY = '0\r\n\r\n';
/** A Content-Length that covers the smuggled request, for a parser that relies on it. */
const COVERS = `Content-Length: ${EMPTY.length + INNER.length}`;
/** A chunk that contains the smuggled request. */
const INNER_SIZE = INNER.length.toString(16);

/** What no parser may accept: 400 in the container, closed, and nothing after it is read. */
const REFUSED: readonly (readonly [name: string, bytes: string])[] = [
  ['Content-Length, then Transfer-Encoding', post(`${COVERS}\r\nTransfer-Encoding: chunked`, EMPTY)],
  [
    'Transfer-Encoding, then Content-Length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 4', `${INNER_SIZE}\r\n${INNER}\r\n${EMPTY}`),
  ],
  ['Transfer-Encoding of another name', post('Transfer-Encoding: xchunked', EMPTY)],
  ['Transfer-Encoding with chunked not last', post('Transfer-Encoding: chunked, identity', EMPTY)],
  ['Transfer-Encoding twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', EMPTY)],
  [
    'Transfer-Encoding twice with different values',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', EMPTY),
  ],
  ['Transfer-Encoding after a vertical tab', post('Transfer-Encoding: \x0bchunked', EMPTY)],
  ['Transfer-Encoding in quotes', post('Transfer-Encoding: "chunked"', EMPTY)],
  ['Transfer-Encoding with a trailing comma', post('Transfer-Encoding: chunked,', EMPTY)],
  ['Transfer-Encoding with a space before its colon', post(`${COVERS}\r\nTransfer-Encoding : chunked`, EMPTY)],
  ['Transfer-Encoding on a folded line', post(`${COVERS}\r\nTransfer-Encoding:\r\n chunked`, EMPTY)],
  ['Transfer-Encoding in HTTP/1.0', post('Transfer-Encoding: chunked', EMPTY, '1.0')],
  [
    'Transfer-Encoding in HTTP/1.0 with keep-alive',
    post('Connection: keep-alive\r\nTransfer-Encoding: chunked', EMPTY, '1.0'),
  ],
  ['Content-Length twice, equal', post('Content-Length: 2\r\nContent-Length: 2', '{}')],
  ['Content-Length twice, different', post('Content-Length: 2\r\nContent-Length: 0', '{}')],
  ['Content-Length as a list, equal', post('Content-Length: 2, 2', '{}')],
  ['Content-Length as a list, different', post('Content-Length: 2,0', '{}')],
  ['Content-Length negative', post('Content-Length: -2', '{}')],
  ['Content-Length hexadecimal', post('Content-Length: 0x2', '{}')],
  ['Content-Length with a plus', post('Content-Length: +2', '{}')],
  ['Content-Length with a fraction', post('Content-Length: 2.0', '{}')],
  ['Content-Length of two numbers', post('Content-Length: 2 2', '{}')],
  ['Content-Length beyond 64 bits', post('Content-Length: 99999999999999999999', '{}')],
  ['Content-Length without a value', post('Content-Length:', '{}')],
  ['Content-Length with a space before its colon', post('Content-Length : 2', '{}')],
  ['a chunk size with 0x', chunked(`0x2\r\n{}\r\n${EMPTY}`)],
  ['a chunk size with a minus', chunked(`-2\r\n{}\r\n${EMPTY}`)],
  ['a chunk size with a plus', chunked(`+2\r\n{}\r\n${EMPTY}`)],
  ['a chunk size with a space', chunked(`2 \r\n{}\r\n${EMPTY}`)],
  ['a chunk without a size', chunked(`\r\n{}\r\n${EMPTY}`)],
  ['a chunk size beyond 64 bits', chunked(`10000000000000002\r\n{}\r\n${EMPTY}`)],
  ['a chunk longer than its size', chunked(`2\r\n{}X\r\n${EMPTY}`)],
  ['chunks with bare LF', chunked('2\n{}\n0\n\n')],
  ['a chunk size with a bare CR', chunked(`2\r{}\r\n${EMPTY}`)],
  ['a chunk extension with a bare LF', chunked(`2;a\n{}\r\n${EMPTY}`)],
  ['a chunk extension with a bare CR', chunked(`2;a\rb\r\n{}\r\n${EMPTY}`)],
  ['a chunk extension with NUL', chunked(`2;a=\0\r\n{}\r\n${EMPTY}`)],
  ['a chunk extension of 40,000 characters', chunked(`2;${'a'.repeat(40_000)}\r\n{}\r\n${EMPTY}`)],
  ['a trailer without a colon', chunked('0\r\nnonsense\r\n\r\n')],
  ['a folded header', get('Host: x\r\nX-A: b\r\n c')],
  ['a fold before any header', get(' X-A: b\r\nHost: x')],
  ['lines with bare LF', `GET ${SEARCH} HTTP/1.1\nHost: x\n\n${INNER}`],
  ['one header line with a bare LF', get('Host: x\nX-A: b')],
  ['a head that ends with a bare LF', `GET ${SEARCH} HTTP/1.1\r\nHost: x\r\n\n${INNER}`],
  ['a bare CR in a header', get('Host: x\r\nX-A: b\rX-B: c')],
  ['a head that ends with a bare CR', `GET ${SEARCH} HTTP/1.1\r\nHost: x\r\r${INNER}`],
  ['a space before a colon', get('Host: x\r\nX-A : b')],
  ['a tab before a colon', get('Host: x\r\nX-A\t: b')],
  ['a header without a name', get('Host: x\r\n: b')],
  ['a header without a colon', get('Host: x\r\nnonsense')],
  ['NUL in a header value', get('Host: x\r\nX-A: a\0b')],
  ['NUL in a header name', get('Host: x\r\nX\0A: b')],
  ['NUL in the target', get('Host: x', `${SEARCH}\0`)],
  ['a target in authority form', get('Host: x', 'x:80')],
  ['a space in the target', get('Host: x', `${SEARCH} x`)],
  ['tabs in the request line', `GET\t${SEARCH}\tHTTP/1.1\r\nHost: x\r\n\r\n${INNER}`],
  ['a version in lower case', get('Host: x', SEARCH, 'http/1.1')],
  ['HTTP/0.9', get('Host: x', SEARCH, 'HTTP/0.9')],
  ['HTTP/1.2', get('Host: x', SEARCH, 'HTTP/1.2')],
  ['HTTP/2.0', get('Host: x', SEARCH, 'HTTP/2.0')],
  ['two Host headers', get('Host: x\r\nHost: y')],
  ['two equal Host headers', get('Host: x\r\nHost: x')],
  ['no Host', get('X-A: b')],
  ['a Host with a path', get('Host: x/y')],
  ['a Host with two names', get('Host: x, y')],
  ['a Host with user information', get('Host: a@x')],
  ['a Host with an invalid port', get('Host: x:80b')],
  ['no Host, and a target that cannot be decoded', get('X-A: b', '/%ff')],
  ['the HTTP/2 preface', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${INNER}`],
  ['no HTTP at all', `hello\r\n\r\n${INNER}`],
];

/** Unambiguous despite its odd form: each request gets its own answer, in order. */
const UNDERSTOOD: readonly (readonly [name: string, bytes: string, statuses: readonly number[]])[] = [
  [
    'a GET whose body is a request',
    `GET ${SEARCH} HTTP/1.1\r\nHost: x\r\nContent-Length: ${INNER.length}\r\n\r\n${INNER}`,
    [401, 200],
  ],
  [
    'a Content-Length that Connection names',
    get(`Host: x\r\nConnection: Content-Length\r\nContent-Length: ${INNER.length}`),
    [401, 200],
  ],
  [
    'Expect: 100-continue with a request as the body',
    `POST /nowhere HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${INNER.length}\r\n\r\n${INNER}`,
    [404, 200],
  ],
  ['a target in absolute form (RFC 9112, 3.2.2)', get('Host: x', `http://x${SEARCH}`), [401, 200, 200]],
  ['an asterisk as the target', get('Host: x', '*'), [404, 200, 200]],
];

const running = sharedGateway();
const directPort = () => running().gateway.port;
const talk = async (port: number, bytes: string) => answersIn(await rawExchange(port, bytes));
/** How often the gateway has run the operation that the smuggled requests call. */
const handled = async (): Promise<number> => {
  const text = await running().gateway.metrics();
  const lines = text
    .split('\n')
    .filter((line) => /^forecourt_request_seconds_count\{(?=.*"\/health\/live").*"200"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};
let known = 0;
/** The same since the last call of this function. */
const newlyHandled = async (): Promise<number> => {
  const before = known;
  known = await handled();
  return known - before;
};
/** The same POST with a token: without one, its body isn't read. */
const withToken = async (bytes: string) =>
  bytes.replace(/^POST .*\r\n/, `$&Authorization: Bearer ${await running().client.token()}\r\n`);
const statusesOf = (answers: readonly RawAnswer[]) => answers.map(({ status }) => status);

describe('request smuggling at the gateway itself', () => {
  beforeAll(newlyHandled);
  claim.each(REFUSED)(
    ['API8', 'V4.1.1', 'V4.2.1'],
    'A request with ambiguous boundaries gets one 400 in the status container, the connection is closed, and nothing after it is read.',
    '%s',
    async (_name, bytes) => {
      const answers = await talk(directPort(), (await withToken(bytes)) + LAST);
      expect(statusesOf(answers)).toEqual([400]);
      expect(await newlyHandled()).toBe(0);
      expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({
        status: { request_errors: 1, errors: [{ code: '400', reason: expect.stringMatching(/^invalid_/) }] },
      });
      expect(answers[0]?.headers).toMatchObject({
        connection: 'close',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
      });
    },
  );

  test.each(UNDERSTOOD)('%s: each request gets its own answer', async (_name, bytes, statuses) => {
    expect(statusesOf(await talk(directPort(), bytes + LAST))).toEqual(statuses);
  });

  test('ignores an unsupported upgrade, and the connection keeps serving', async () => {
    const socket = await rawConnect(directPort());
    const all = untilClosed(socket, 5_000);
    const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ';
    socket.write(`GET ${SEARCH} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`);
    await once(socket, 'data');
    socket.write(LAST);
    expect(statusesOf(answersIn(await all))).toEqual([401, 200]);
  });
});

describe('one request never gets the answer of another', () => {
  const SLOW = 'X-Sandbox-Scenario: bravo=slow(700)\r\n';
  const authorized = async (path: string, more: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await running().client.token()}\r\n${more}\r\n`;

  claim(
    'API8',
    'Garbage after requests in progress gets one 400 after their responses, and the connection is closed.',
    async () => {
      const slow = await authorized(locationsPath('boston'), SLOW);
      expect(statusesOf(await talk(directPort(), `${slow}${slow}garbage\r\n\r\n${LAST}`))).toEqual([200, 200, 400]);
    },
  );

  test('garbage while an answer streams: the stream completes, then one 400, closed', async () => {
    const socket = await rawConnect(directPort());
    const all = untilClosed(socket, 5_000);
    socket.write(await authorized(vehiclesPath(), `${SLOW}Accept: application/x-ndjson\r\n`));
    await once(socket, 'data');
    socket.write('garbage\r\n\r\n');
    const answers = answersIn(await all);
    expect(statusesOf(answers)).toEqual([200, 400]);
    expect(JSON.parse(answers[0]?.body.trim().split('\n').at(-1) ?? '')).toHaveProperty('status');
  });

  test('a body that is cut off after its request was answered gets no second answer; the connection closes', async () => {
    const socket = await rawConnect(directPort());
    const all = untilClosed(socket, 5_000);
    socket.write('POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    await once(socket, 'data');
    socket.write(`zz\r\n${LAST}`);
    expect(statusesOf(answersIn(await all))).toEqual([404]);
  });

  test('a body that is cut off before its request was answered: one 400, after the answers to earlier requests', async () => {
    const slow = await authorized(locationsPath('boston'), SLOW);
    const broken = await withToken(chunked('zz\r\n'));
    expect(statusesOf(await talk(directPort(), slow + broken + LAST))).toEqual([200, 400]);
  });

  test('a body that is cut off behind a request without a token: one answer, after those to earlier requests', async () => {
    const slow = await authorized(locationsPath('boston'), SLOW);
    const statuses = statusesOf(await talk(directPort(), slow + chunked('zz\r\n') + LAST));
    // Whichever is noticed first: the missing token, or the broken body.
    expect([
      [200, 400],
      [200, 401],
    ]).toContainEqual(statuses);
  });

  claim(
    'API4',
    'A connection that is reset in the middle of a request, of any method, never stops the gateway.',
    async () => {
      for (const method of ['CONNECT x:80', 'GET /', 'POST /oauth/token/v1', 'OPTIONS *', 'PRI *']) {
        const socket = await rawConnect(directPort());
        socket.on('error', () => undefined);
        socket.write(`${method} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n`);
        await Promise.race([once(socket, 'data'), wait(100)]);
        socket.resetAndDestroy();
      }
      expect(statusesOf(await talk(directPort(), LAST))).toEqual([200]);
    },
  );

  test('a request that closes its connection is answered, whatever follows it', async () => {
    expect(statusesOf(await talk(directPort(), `${LAST}${INNER}`))).toEqual([200]);
  });

  claim.each([
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['garbage', 'garbage\r\n\r\n', 400],
    ['an unknown expectation', `GET ${SEARCH} HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n`, 400],
  ])(
    'API4',
    'A client that sends an unparsable request and never closes its side is disconnected within 3 seconds.',
    '%s',
    async (_name, bytes, status) => {
      const socket = connect({ port: directPort(), host: '127.0.0.1', allowHalfOpen: true });
      const all = untilClosed(socket, 3_000);
      socket.write(bytes);
      await once(socket, 'end');
      // Only a disconnected peer refuses bytes.
      const poke = setInterval(() => socket.write('x'), 100);
      expect(statusesOf(answersIn(await all))).toEqual([status]);
      clearInterval(poke);
    },
  );
});

describeWith('nginx', 'haproxy')('request smuggling through a proxy', () => {
  /** A short answer that needs no token. */
  const PUBLIC = '/.well-known/oauth-authorization-server';
  const VICTIMS = ['victim-1', 'victim-2', 'victim-3', 'victim-4'];

  describe.each([
    ['nginx', startNginx],
    ['HAProxy', startHaproxy],
  ])('%s as shipped', (proxyName, startProxy) => {
    let proxy: RunningProxy;
    beforeAll(async () => {
      const { gateway } = running();
      proxy = await startProxy([gateway, gateway]);
      await newlyHandled();
    }, 30_000);
    afterAll(() => proxy.stop());

    const askAs = async (id: string): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${proxy.port}${PUBLIC}`, { headers: { 'x-request-id': id } });
      await answer.arrayBuffer();
      return `${answer.status} ${answer.headers.get('x-request-id')}`;
    };

    claim.each([...REFUSED, ...UNDERSTOOD.map(([name, bytes]) => [name, bytes] as const)])(
      ['API8', 'V4.2.1'],
      'Behind the shipped proxies, a request with ambiguous boundaries never changes the responses of other callers.',
      '%s',
      async (_case, bytes) => {
        const answers = await talk(proxy.port, bytes + LAST);
        const smuggled = answers
          .flatMap(({ headers }) => headers['x-request-id'] ?? [])
          .filter((id) => id !== 'outer-request');
        // Each at most once, in the order sent; the proxy may create one for a request without one.
        expect(smuggled.filter((id) => !id.startsWith('req_'))).toEqual(
          ['inner-request', 'last-request'].filter((id) => smuggled.includes(id)),
        );
        expect(await Promise.all(VICTIMS.map(askAs))).toEqual(VICTIMS.map((id) => `200 ${id}`));
        expect(await newlyHandled()).toBe(smuggled.filter((id) => !id.startsWith('req_')).length);
        expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      },
    );

    claim.each([
      ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
      ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
      ['a target in authority form', 'GET x:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['text that is not HTTP', 'hello\r\n\r\n'],
      ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['a URL of 40,000 characters', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
      ['a header of 40,000 characters', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`],
    ])(
      ['API8', 'V4.1.4'],
      'Behind the shipped proxies, a request without a valid target or with an unsupported method gets 400 or 404, never 500.',
      '%s',
      async (_case, bytes) => {
        // HAProxy keeps the connection of a CONNECT until the client closes it.
        const socket = await rawConnect(proxy.port);
        socket.write(bytes, 'latin1');
        const answers = answersIn(String(await once(socket, 'data')));
        socket.destroy();
        expect(answers.length).toBeGreaterThan(0);
        expect(statusesOf(answers).filter((status) => status !== 400 && status !== 404)).toEqual([]);
        // What HAProxy can't parse gets a page that can't be configured.
        const inContainer = proxyName === 'nginx' ? answers : [];
        for (const { status, body } of inContainer) {
          expect(JSON.parse(body)).toMatchObject({ status: { request_errors: 1, errors: [{ code: String(status) }] } });
        }
      },
    );
  });

  describe.each([
    ['nginx', startNginx],
    ['HAProxy', startHaproxy],
  ])('what %s passes on, as shipped', (_name, startProxy) => {
    const passedOn: string[] = [];
    let gateway: FakeSupplier;
    let proxy: RunningProxy;
    beforeAll(async () => {
      gateway = await startFakeSupplier();
      gateway.behave((socket, request) => {
        passedOn.push(request);
        reply('answered', 'text/plain')(socket, request);
      });
      const at = { port: Number(new URL(gateway.url).port) };
      proxy = await startProxy([at, at]);
    }, 30_000);
    afterAll(async () => {
      await proxy.stop();
      await gateway.close();
    });
    const send = async (bytes: string) => {
      passedOn.length = 0;
      const answers = await talk(proxy.port, bytes);
      return { answers, passedOn: passedOn.filter((request) => !request.startsWith('GET /health/ready ')) };
    };

    claim.each([
      ...['/metrics', '/metrics/', '/metrics?a=b', '//metrics', '/%6detrics', '/metrics%2f', '/metrics/x'],
      ...['/admin', '/admin/v1/suppliers', '/admin/openapi.json', '//admin/v1', '/%61dmin/v1', '/admin%2fv1'],
    ])(
      'API8',
      'The shipped proxies answer 404 for metrics and the admin API, even if a gateway served them on its public port.',
      'GET %s',
      async (target) => {
        const { answers, passedOn: requests } = await send(
          `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        );
        expect([statusesOf(answers), requests]).toEqual([[404], []]);
        expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ status: { errors: [{ code: '404' }] } });
      },
    );

    claim.each([
      ['all lines', 'GET /a HTTP/1.1\nHost: x\nX-A: b\nConnection: close\n\n'],
      ['one header line', 'GET /a HTTP/1.1\r\nHost: x\nX-A: b\r\nConnection: close\r\n\r\n'],
      ['the end of the head', 'GET /a HTTP/1.1\r\nHost: x\r\nX-A: b\r\nConnection: close\r\n\n'],
    ])(
      ['API8', 'V4.2.1'],
      'The shipped proxies reject lines that end with a bare LF, or send them on with CRLF: a gateway never receives one.',
      '%s',
      async (_case, bytes) => {
        const { answers, passedOn: requests } = await send(bytes);
        expect([[200], [400]]).toContainEqual(statusesOf(answers));
        expect(requests).toHaveLength(answers[0]?.status === 200 ? 1 : 0);
        for (const request of requests) expect(request.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        for (const request of requests) expect(request).toMatch(/\r\nx-a: b\r\n/i);
      },
    );
  });
});

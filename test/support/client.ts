import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { ratesAnswer } from '../../src/catalog/rates.wire.js';
import type { vehiclesAnswer } from '../../src/catalog/vehicles.wire.js';
import type { locationsAnswer } from '../../src/locations/locations.wire.js';
import type { offerWire } from '../../src/representations/offers.wire.js';
import type { reservationAnswer } from '../../src/reservations/reservation.wire.js';
import type { statusWire } from '../../src/status/status.wire.js';
import { OpenApiCheck } from './openapi-check.js';
import type { DemoName, Gateway } from './start-gateway.js';

export type Offer = z.infer<typeof offerWire>;
type StatusContainer = z.infer<typeof statusWire>;
type ErrorEntry = NonNullable<StatusContainer['errors']>[number];

/** Every member that some answer has; the OpenAPI check verifies which ones are present. */
export type AnyBody = Omit<z.infer<typeof vehiclesAnswer>, 'request'> &
  z.infer<typeof locationsAnswer> &
  Pick<z.infer<typeof ratesAnswer>, 'quote'> &
  Pick<z.infer<typeof reservationAnswer>, 'reservation'> & {
    request: Record<string, unknown>;
    access_token: string;
    token_type: string;
    expires_in: number;
  };

/** Header names in lower case; an array of pairs keeps repeated names. */
export type Headers = Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[];

export interface CallOptions {
  readonly headers?: Headers;
  /** null = no Authorization header; default: a token of the application `demo`. */
  readonly token?: string | null;
  readonly body?: string | object;
}

/** An answer as received over the socket. */
export class HttpAnswer {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly text: string,
    readonly ms: number,
  ) {}

  get body(): AnyBody {
    return JSON.parse(this.text) as AnyBody;
  }

  get errors(): readonly ErrorEntry[] {
    return this.body.status.errors ?? [];
  }

  /** `reason` of each entry, in order. */
  get reasons(): readonly string[] {
    return this.errors.map((entry) => entry.reason);
  }

  /** `code supplier cause` of each entry, in order: a partial answer on one line. */
  get missing(): readonly string[] {
    return this.errors.map(({ code, supplier, cause }) =>
      [code, supplier, cause].filter((part) => part !== undefined).join(' '),
    );
  }
}

/** Calls one gateway over keep-alive sockets; throws if an answer doesn't match the gateway's own /openapi.json. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #tokens = new Map<string, Promise<string>>();

  private constructor(
    readonly gateway: Gateway,
    private readonly openapi: OpenApiCheck,
  ) {}

  static async of(gateway: Gateway): Promise<Client> {
    return new Client(gateway, await OpenApiCheck.of(gateway.baseUrl));
  }

  get(path: string, options: CallOptions = {}): Promise<HttpAnswer> {
    return this.call('GET', path, options);
  }

  post(path: string, body: string | object, options: CallOptions = {}): Promise<HttpAnswer> {
    return this.call('POST', path, { ...options, body });
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<HttpAnswer> {
    const token = options.token === undefined ? await this.token() : options.token;
    const given = Array.isArray(options.headers) ? options.headers : Object.entries(options.headers ?? {});
    const body = typeof options.body === 'object' ? JSON.stringify(options.body) : options.body;
    const headers: [string, string][] = [...given] as [string, string][];
    const has = (name: string): boolean => headers.some(([key]) => key.toLowerCase() === name);
    if (token !== null) headers.push(['authorization', `Bearer ${token}`]);
    if (body !== undefined && !has('content-type')) headers.push(['content-type', 'application/json']);
    if (body !== undefined && !has('transfer-encoding'))
      headers.push(['content-length', String(Buffer.byteLength(body))]);
    headers.push(['host', `127.0.0.1:${this.gateway.port}`]);
    const answer = await this.#send(method, path, headers.flat(), body);
    this.openapi.check({
      method,
      path,
      status: answer.status,
      contentType: answer.headers['content-type'],
      text: answer.text,
    });
    return answer;
  }

  /** A token of a demo application, requested once. */
  token(name: DemoName = 'demo'): Promise<string> {
    const known = this.#tokens.get(name) ?? this.freshToken(name);
    this.#tokens.set(name, known);
    return known;
  }

  async freshToken(name: DemoName = 'demo'): Promise<string> {
    const { client_id, client_secret } = this.gateway.credentials(name);
    const answer = await this.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
    if (answer.status !== 200) throw new Error(`no token for ${name}: ${answer.text}`);
    return answer.body.access_token;
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, headers: string[], body: string | undefined): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const request = httpRequest(
        { host: '127.0.0.1', port: this.gateway.port, method, path, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () =>
            resolve(
              new HttpAnswer(
                response.statusCode ?? 0,
                response.headers,
                Buffer.concat(chunks).toString('utf8'),
                performance.now() - startedAt,
              ),
            ),
          );
        },
      );
      request.once('error', reject);
      request.end(body);
    });
  }
}

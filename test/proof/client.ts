import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** An answer as received. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const PAUSE_MS = 200;
const LONGEST_ANSWER_MS = 30_000;

/** A client that treats several gateways as one, and counts its requests. */
export class GatewayClient {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #ports: readonly number[];
  token = '';
  /** Requests that ended without an answer. */
  lost = 0;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  /** Sends one request; undefined = the connection was lost, or the client disconnected after `leaveAfterMs`. */
  send(gateway: number, { method, path, body, headers }: Call, leaveAfterMs?: number): Promise<Reply | undefined> {
    const text = body && JSON.stringify(body);
    const port = this.#ports[gateway % this.#ports.length];
    return new Promise((resolve) => {
      const sent = httpRequest({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: this.#agent,
        timeout: LONGEST_ANSWER_MS,
        headers: {
          ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      });
      const leaving = leaveAfterMs === undefined ? undefined : setTimeout(() => sent.destroy(), leaveAfterMs);
      let over = false;
      const end = (reply: Reply | undefined): void => {
        if (over) return;
        over = true;
        clearTimeout(leaving);
        if (!reply) this.lost += 1;
        resolve(reply);
      };
      sent.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => end(undefined));
        response.once('close', () => end(undefined));
        response.once('end', () => {
          end({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          });
        });
      });
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => end(undefined));
      sent.once('close', () => end(undefined));
      sent.end(text);
    });
  }

  /**
   * What a good client does: repeats the request, alternating between the gateways, until it gets a final answer.
   * `seen` receives every answer. Undefined = none within `timeoutMs`.
   */
  async insist(
    gateway: number,
    call: Call,
    seen: (reply: Reply | undefined) => void,
    timeoutMs = 60_000,
  ): Promise<Reply | undefined> {
    const end = Date.now() + timeoutMs;
    for (let attempt = 0; Date.now() < end; attempt += 1) {
      const reply = await this.send(gateway + attempt, call);
      seen(reply);
      if (reply && (!COME_AGAIN.includes(reply.status) || reply.headers['idempotent-retry'] === 'new-key'))
        return reply;
      await wait(PAUSE_MS);
    }
    return undefined;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Nothing was done yet, or the gateway was shutting down. With `Idempotent-Retry: new-key`, the answer is stored for the key. */
const COME_AGAIN: readonly number[] = [408, 429, 503];

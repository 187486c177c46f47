import type { Client } from '../support/client.js';
import { rawExchange } from '../support/raw-socket.js';

/**
 * An answer whose path may be missing from /openapi.json: of an exact version, or of a URL that no client library would
 * send.
 */
export interface RawAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The `reason` of each error entry. */
  readonly reasons: readonly string[];
}

/** Sends a GET with exactly this target; `token` null = none, default: a token of the application `demo`. */
export async function rawAsk(client: Client, target: string, token?: string | null): Promise<RawAnswer> {
  const bearer = token === undefined ? await client.token() : token;
  const authorization = bearer === null ? '' : `Authorization: Bearer ${bearer}\r\n`;
  const exchange = await rawExchange(
    client.gateway.port,
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Connection: close\r\n\r\n`,
    20_000,
  );
  const end = exchange.indexOf('\r\n\r\n');
  const [line = '', ...rows] = exchange.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    rows.map((row) => row.split(/: (.*)/s, 2)).map(([name = '', value = '']) => [name.toLowerCase(), value]),
  );
  const text = exchange.slice(end + 4);
  const { status } = JSON.parse(text) as { status?: { errors?: { reason: string }[] } };
  return {
    status: Number(line.split(' ')[1]),
    headers,
    text,
    reasons: (status?.errors ?? []).map((entry) => entry.reason),
  };
}

import { readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { signCall } from '../admin-keys/message-signature.js';
import { isLoopback } from '../config/loopback.js';
import type { CommandRun } from './command-run.js';
import { fromGateway } from './control-protocol.js';
import { reasonOf } from './finding.js';

const TARGET = '/admin/v1/commands';
const CONNECT_MS = 10_000;
/** A command may be silent for as long as it may run. */
const MOST_SILENT_MS = 3_960_000;
const LONGEST_ERROR = 100_000;

const keyFile = z.object({ key_id: z.string().regex(/^adk_\w{1,60}$/), private_key: z.string().max(1_000) });
const wireError = z.object({ status: z.object({ errors: z.array(z.object({ details: z.string() })).min(1) }) });

/** Which gateway runs a command, and with which key. */
export interface Remote {
  readonly url: string;
  readonly keyFile: string;
}

/** What the person answered, and to which output of the command. */
interface Answer {
  readonly digest: string;
  readonly value: boolean;
}

/**
 * Runs an operators' command in a gateway on another machine, by signed HTTP, with the output and the terminal of this
 * process. Resolves with the exit code. Never rejects.
 */
export async function runRemotely(words: readonly string[], remote: Remote, own: CommandRun): Promise<number> {
  const dispatcher = new Agent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: MOST_SILENT_MS,
    bodyTimeout: MOST_SILENT_MS,
  });
  try {
    const origin = originOf(remote.url);
    const key = readKey(remote.keyFile);
    let answer: Answer | undefined;
    for (;;) {
      const body = JSON.stringify({ words, ...(answer ? { answer } : {}) });
      const headers = signCall({ method: 'POST', target: TARGET }, Buffer.from(body), key);
      const ended = await receive(await send(`${origin}${TARGET}`, body, headers, dispatcher), own);
      if (typeof ended === 'number') return ended;
      answer = { digest: ended.digest, value: await own.confirm(ended.ask) };
    }
  } catch (error) {
    own.tell(error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error));
    return 2;
  } finally {
    await dispatcher.destroy();
  }
}

function send(url: string, body: string, headers: object, dispatcher: Agent) {
  return fetch(url, {
    ...{ method: 'POST', body, dispatcher, redirect: 'error' },
    headers: { ...headers, 'content-type': 'application/json' },
  });
}

/** The exit code, or a question. Throws an Error that says why the gateway refused the command, or that the answer is not complete. */
async function receive(
  response: Awaited<ReturnType<typeof fetch>>,
  own: CommandRun,
): Promise<number | { readonly ask: string; readonly digest: string }> {
  if (response.status !== 200 || !response.body) throw new Error(await refusal(response));
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    const message = fromGateway.parse(JSON.parse(line));
    if ('exit' in message) return message.exit;
    if ('print' in message) own.print(message.print);
    else if ('tell' in message) own.tell(message.tell);
    else if ('write' in message) await own.write(chunk(message.write));
    else if ('ask' in message && message.digest !== undefined) return { ask: message.ask, digest: message.digest };
  }
  throw new Error('the gateway stopped before the command ended: run it again, or check what it has changed');
}

async function* chunk(text: string): AsyncGenerator<string> {
  yield text;
}

async function refusal(response: Awaited<ReturnType<typeof fetch>>): Promise<string> {
  const text = (await response.text()).slice(0, LONGEST_ERROR);
  try {
    return wireError
      .parse(JSON.parse(text))
      .status.errors.map(({ details }) => details)
      .join(' ');
  } catch {
    return `the answer has status ${response.status} and isn't from an admin API: check the address`;
  }
}

/** Without TLS, anyone on the way could read what a command prints. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw new Error('--remote must be an address such as https://gateway.example.com:9465');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Error('--remote must begin with https://, except for this machine');
  return url.origin;
}

function readKey(file: string): { readonly keyId: string; readonly privateKey: string } {
  if ((statSync(file).mode & 0o077) !== 0)
    throw new Error(`${file} can be read by others: run chmod 600 ${file}, or revoke the key if others have read it`);
  const read = keyFile.safeParse(jsonOf(readFileSync(file, 'utf8')));
  if (!read.success) throw new Error(`${file} is not a key file of gw admin-keys create`);
  return { keyId: read.data.key_id, privateKey: read.data.private_key };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

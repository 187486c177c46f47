import type { IncomingMessage } from 'node:http';
import { ApiError } from '../status/api-error.js';

const MOST_BYTES = 65_536;

/** The body of a request. Throws ApiError 400 for one of more than 64 KiB, whose rest isn't read. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MOST_BYTES)
      throw ApiError.of('invalid_range', 'The body must have at most 64 KiB.', { headers: { connection: 'close' } });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The JSON in a body; undefined = it is empty. Throws ApiError 400 for another text, and for half a character in a name or value. */
export function jsonIn(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  let isWellFormed = true;
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body), (name, value: unknown) => {
      isWellFormed &&= name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed());
      return value;
    });
  } catch {
    throw ApiError.of('invalid_format', 'The body must be JSON in UTF-8.');
  }
  if (!isWellFormed)
    throw ApiError.of(
      'invalid_format',
      'The body has half a character: a surrogate such as \\ud83d without the other one.',
    );
  return json;
}

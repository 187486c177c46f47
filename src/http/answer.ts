import type { Readable } from 'node:stream';

/**
 * What a controller returns: status, headers and the body as finished JSON text (or bytes, or a stream). The answer interceptor
 * writes it to the reply; nothing else sets status codes.
 */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: string | Buffer | Readable,
    /** Several values only of `set-cookie`. */
    readonly headers: Readonly<Record<string, string | string[]>> = {},
    /** For a stream that doesn't wait for its reader: settles when it is complete, so that only the client decides how long the rest takes. */
    readonly made?: Promise<unknown>,
  ) {}

  /** Converts an answer of another module and adds the headers `more`. */
  static of(
    { status, body, headers }: Pick<Answer, 'status' | 'body' | 'headers'>,
    more: Readonly<Record<string, string>> = {},
  ): Answer {
    return new Answer(status, body, { ...headers, ...more });
  }

  /** An answer with a JSON body. */
  static json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
    return new Answer(status, JSON.stringify(value), headers);
  }
}

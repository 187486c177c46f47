import { ConnectionError } from './errors.js';
import type { SearchLine, StatusEntry } from './types.js';

/** The lines of a streamed search as they arrive. Throws ConnectionError if the stream ends before its last line. */
export async function* searchLines(body: ReadableStream<Uint8Array>): AsyncGenerator<SearchLine, void, undefined> {
  for await (const text of textLines(body)) {
    const line = parsed(text);
    yield line;
    if (line.type === 'end') return;
  }
  throw new ConnectionError('The stream ended before its last line: suppliers may be missing.');
}

/** The lines that end with a line feed; what follows the last one is incomplete and dropped. */
async function* textLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Parts of a line that is not complete: joined once, because a line can have a megabyte in many parts.
  let parts: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const [first = '', ...more] = decoder.decode(value, { stream: true }).split('\n');
      parts.push(first);
      for (const next of more) {
        const line = parts.join('');
        if (line !== '') yield line;
        parts = [next];
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(text: string): SearchLine {
  const line = JSON.parse(text) as Record<string, unknown> & { status?: { errors?: StatusEntry[] } };
  if (line.status) {
    const missing = line.status.errors ?? [];
    return { type: 'end', complete: missing.length === 0, missing };
  }
  return { ...line, type: 'supplier' in line ? 'supplier' : 'search' } as SearchLine;
}

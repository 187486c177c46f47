import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Source maps are kept for so long after a stack trace. They take tens of megabytes, and errors are rare. */
const KEPT_MS = 30_000;
/** A place in a file, as V8 writes it: `file:///dist/main.js:1:234`. */
const PLACE = /file:\/\/[^\s()]+/g;

const maps = new Map<string, SourceMap | undefined>();
let forgetting: NodeJS.Timeout | undefined;

/** From now on, the stack traces of errors that end this process name files and lines of the source instead of the bundle. */
export function nameSourceLines(): void {
  process.on('uncaughtExceptionMonitor', inSource);
}

/** Returns the error, whose stack trace names files and lines of the source from now on. Any other value is returned unchanged. */
export function inSource<T>(error: T): T {
  if (error instanceof Error && error.stack !== undefined) error.stack = sourceLines(error.stack);
  return error;
}

/**
 * A stack trace with files and lines of the source instead of the bundle. For those that are written: reading the maps takes
 * hundreds of milliseconds, and Node.js itself reads `stack` of errors that are not printed, such as of a connection that is closed.
 * It replaces `--enable-source-maps`, with which Node.js reads the maps of all files when it loads them and keeps them.
 */
export function sourceLines(stack: string): string {
  return stack.replace(PLACE, (place) => {
    const [column = '', line = '', ...rest] = place.split(':').reverse();
    const file = rest.reverse().join(':');
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (!origin || !('fileName' in origin) || origin.fileName === undefined) return place;
    return `${fileURLToPath(new URL(origin.fileName, file))}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

/** The map beside a file; undefined if there is none. */
function mapOf(file: string): SourceMap | undefined {
  clearTimeout(forgetting);
  forgetting = setTimeout(() => maps.clear(), KEPT_MS).unref();
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
  } catch {
    // A file that isn't bundled. An error here would hide the one that is reported.
    return undefined;
  }
}

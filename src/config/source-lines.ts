import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Source maps are kept for so long after a stack trace. They take tens of megabytes, and errors are rare. */
const KEPT_MS = 30_000;

const maps = new Map<string, SourceMap | undefined>();
let forgetting: NodeJS.Timeout | undefined;

/**
 * From now on, stack traces of this thread name files and lines of the source instead of the bundle. It replaces
 * `--enable-source-maps`, with which Node.js reads the maps of all files when it loads them and keeps them.
 */
export function nameSourceLines(): void {
  Error.prepareStackTrace = (error, frames) => [headOf(error), ...frames.map(lineOf)].join('\n');
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function lineOf(frame: NodeJS.CallSite): string {
  const text = `    at ${frame}`;
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.startsWith('file:') || line === null || column === null) return text;
  const origin = mapOf(file)?.findOrigin(line, column);
  if (!origin || !('fileName' in origin) || origin.fileName === undefined) return text;
  const source = fileURLToPath(new URL(origin.fileName, file));
  return text.replace(`${file}:${line}:${column}`, () => `${source}:${origin.lineNumber}:${origin.columnNumber}`);
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

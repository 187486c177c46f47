import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Lines are written when they have so many characters, or by `flush`. */
const LEAST_CHARACTERS = 4_096;
const MOST_CHARACTERS = 8_000_000;
/** Characters of one write. */
const MOST_OF_WRITE = 262_144;
/** A pipe whose reader is slow, and a disk that is full, are tried again after so long. */
const BUSY_MS = 100;
const FAILED_MS = 1_000;
/** At the end of the process, so long is waited for a slow reader. */
const MOST_SYNC_MS = 1_000;

/**
 * Writes log lines to a file descriptor in the background, in order. Unlike pino's own destination it never throws, ends or blocks
 * the process if nothing can be written (full disk, closed pipe): lines wait, up to 8 million characters; further ones are lost, and a line
 * says how many when writing works again.
 */
export class LogDestination implements DestinationStream {
  #waiting = '';
  /** What is being written, or failed to be. */
  #current: Buffer = Buffer.alloc(0);
  /** Nothing else is written: a write is in progress, or is tried again soon. */
  #isBusy = false;
  #isWriting = false;
  #lost = 0;
  /** The code of the last error. */
  #failedBy = '';

  /** `mostCharacters`: what waits while nothing can be written; further lines are lost, and counted. */
  constructor(
    private readonly fd: number,
    private readonly mostCharacters = MOST_CHARACTERS,
  ) {}

  /** Takes one line, with its line break. */
  write(line: string): void {
    if (this.#waiting.length + line.length > this.mostCharacters) this.#lost += 1;
    else this.#waiting += line;
    if (this.#waiting.length >= LEAST_CHARACTERS) this.#writeNext();
  }

  /** Begins to write what waits. */
  flush(): void {
    this.#writeNext();
  }

  /** Writes what waits before it returns, unless that fails or takes longer than a second. */
  flushSync(): void {
    const until = performance.now() + MOST_SYNC_MS;
    const own = this.#isWriting ? [] : [this.#current];
    let rest = Buffer.concat([...own, Buffer.from(this.#lossLine() + this.#waiting)]);
    this.#waiting = '';
    if (!this.#isWriting) this.#current = Buffer.alloc(0);
    while (rest.length > 0 && performance.now() < until) {
      try {
        rest = rest.subarray(writeSync(this.fd, rest));
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN') return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  }

  #take(): void {
    if (this.#current.length > 0) return;
    const text = this.#lossLine() + this.#waiting.slice(0, MOST_OF_WRITE);
    this.#waiting = this.#waiting.slice(MOST_OF_WRITE);
    this.#current = Buffer.from(text);
  }

  #lossLine(): string {
    if (this.#lost === 0) return '';
    const [count, why] = [this.#lost, this.#failedBy];
    this.#lost = 0;
    const line = {
      level: 50,
      time: new Date().toISOString(),
      service: 'forecourt',
      count,
      why,
      msg: 'log lines were lost',
    };
    return `${JSON.stringify(line)}\n`;
  }

  #writeNext(): void {
    if (this.#isBusy) return;
    this.#take();
    if (this.#current.length === 0) return;
    this.#isBusy = true;
    this.#isWriting = true;
    write(this.fd, this.#current, (error, count) => {
      this.#isWriting = false;
      if (error) {
        const code = codeOf(error);
        this.#failedBy = code;
        setTimeout(() => this.#goOn(), code === 'EAGAIN' ? BUSY_MS : FAILED_MS).unref();
        return;
      }
      this.#current = this.#current.subarray(count);
      this.#goOn();
    });
  }

  #goOn(): void {
    this.#isBusy = false;
    if (this.#current.length > 0 || this.#waiting.length >= LEAST_CHARACTERS) this.#writeNext();
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

let stdout: LogDestination | undefined;

/** The destination of all loggers of the process. What waits is written when the process exits. */
export function standardOutput(): LogDestination {
  if (!stdout) {
    const created = new LogDestination(1);
    process.once('exit', () => created.flushSync());
    stdout = created;
  }
  return stdout;
}

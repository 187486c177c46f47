import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AcceptedKeys } from '../config/keys.js';
import { decrypt, encrypt } from '../config/sealed-text.js';
import { type BookingFile, isOutdated, type SimulatedBooking } from './bookings.js';

const OWNER_ONLY = 0o600;
/** Lines that are encrypted without leaving the event loop: some milliseconds. */
const LINES_PER_TURN = 500;

/**
 * The file of a simulated supplier's bookings: one encrypted line per change, because bookings contain the renter. Only
 * the owner of the process may read it. Lines that can't be decrypted, for example after the key changed, stay in it.
 */
export class LedgerFile implements BookingFile {
  readonly #place: string;
  #length = 0;
  #unreadable = '';
  /** Lines that were appended since `rewrite` began. */
  #appended: string[] | undefined;
  #rewriting: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly keys: AcceptedKeys,
  ) {
    this.#place = `ledger:${basename(file)}`;
  }

  get length(): number {
    return this.#length;
  }

  /** Rewrites the file with what it returns; creates its folder. */
  restore(now: number): readonly SimulatedBooking[] {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    if (!existsSync(this.file)) return [];
    chmodSync(this.file, OWNER_ONLY);
    const lines = readFileSync(this.file, 'utf8').split('\n');
    // A process killed while writing leaves an incomplete last line.
    const last = this.#parsed(lines.pop() ?? '');
    const read = lines.map((line) => this.#parsed(line));
    const bookings = new Map<string, SimulatedBooking>();
    for (const booking of [...read, last]) if (booking) bookings.set(booking.confirmation, booking);
    const kept = [...bookings.values()].filter((booking) => !isOutdated(booking, now));
    this.#unreadable = lines.flatMap((line, at) => (read[at] || line === '' ? [] : `${line}\n`)).join('');
    this.replace(kept);
    return kept;
  }

  replace(bookings: Iterable<SimulatedBooking>): void {
    this.#write(Array.from(bookings, (booking) => this.#line(booking)));
  }

  rewrite(bookings: () => Iterable<SimulatedBooking>): Promise<void> {
    const rewritten = this.#rewriting.then(() => this.#rewrite([...bookings()]));
    this.#rewriting = rewritten.catch(() => undefined);
    return rewritten;
  }

  async #rewrite(bookings: readonly SimulatedBooking[]): Promise<void> {
    this.#appended = [];
    const lines: string[] = [];
    for (const booking of bookings) {
      lines.push(this.#line(booking));
      if (lines.length % LINES_PER_TURN === 0) await nextTurn();
    }
    lines.push(...this.#appended);
    this.#appended = undefined;
    this.#write(lines);
  }

  #write(lines: readonly string[]): void {
    const next = `${this.file}.new`;
    writeFileSync(next, this.#unreadable + lines.join(''), { mode: OWNER_ONLY });
    renameSync(next, this.file);
    this.#length = lines.length;
  }

  append(booking: SimulatedBooking): void {
    const line = this.#line(booking);
    appendFileSync(this.file, line, { mode: OWNER_ONLY });
    this.#length += 1;
    this.#appended?.push(line);
  }

  #line(booking: SimulatedBooking): string {
    return `${encrypt(this.keys[0], Buffer.from(JSON.stringify(booking)), this.#place).toString('base64url')}\n`;
  }

  /** Undefined if it can't be read. Earlier versions wrote plain JSON. */
  #parsed(line: string): SimulatedBooking | undefined {
    try {
      const text = line.startsWith('{') ? line : this.#decrypted(Buffer.from(line, 'base64url'));
      return JSON.parse(text.toString()) as SimulatedBooking;
    } catch {
      return undefined;
    }
  }

  /** Throws if no key decrypts it. */
  #decrypted(bytes: Buffer): Buffer {
    const [own, other] = this.keys;
    try {
      return decrypt(own, bytes, this.#place);
    } catch (error) {
      if (other === undefined) throw error;
      return decrypt(other, bytes, this.#place);
    }
  }
}

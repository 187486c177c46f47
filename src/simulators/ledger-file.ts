import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { AcceptedKeys } from '../config/keys.js';
import { decrypt, encrypt } from '../config/sealed-text.js';
import type { BookingFile, SimulatedBooking } from './bookings.js';

/** How long a booking is kept after the return of the car. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;
const OWNER_ONLY = 0o600;

/**
 * The file of a simulated supplier's bookings: one encrypted line per change, because bookings contain the renter. Only
 * the owner of the process may read it.
 */
export class LedgerFile implements BookingFile {
  readonly #place: string;
  #length = 0;
  #isReadable = true;

  constructor(
    private readonly file: string,
    private readonly keys: AcceptedKeys,
  ) {
    this.#place = `ledger:${basename(file)}`;
  }

  get length(): number {
    return this.#length;
  }

  /** Rewrites the file with what it returns, unless it has lines that can't be decrypted; creates its folder. */
  restore(now: number): readonly SimulatedBooking[] {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    if (!existsSync(this.file)) return [];
    chmodSync(this.file, OWNER_ONLY);
    const lines = readFileSync(this.file, 'utf8').split('\n');
    // A process killed while writing leaves an incomplete last line.
    const last = this.#parsed(lines.pop() ?? '');
    const read = lines.map((line) => this.#parsed(line));
    const bookings = new Map<string, SimulatedBooking>();
    const oldest = new Date(now - KEPT_DAYS * DAY_MS).toISOString();
    for (const booking of [...read, last]) if (booking) bookings.set(booking.confirmation, booking);
    const kept = [...bookings.values()].filter(({ dropoffDate }) => dropoffDate >= oldest);
    this.#isReadable = !read.includes(undefined);
    this.replace(kept);
    return kept;
  }

  /** Does nothing if the file has lines that can't be decrypted. */
  replace(bookings: Iterable<SimulatedBooking>): void {
    if (!this.#isReadable) return;
    const next = `${this.file}.new`;
    const lines = Array.from(bookings, (booking) => this.#line(booking));
    writeFileSync(next, lines.join(''), { mode: OWNER_ONLY });
    renameSync(next, this.file);
    this.#length = lines.length;
  }

  append(booking: SimulatedBooking): void {
    this.#length += 1;
    appendFileSync(this.file, this.#line(booking), { mode: OWNER_ONLY });
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

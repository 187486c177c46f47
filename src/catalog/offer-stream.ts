import { Readable } from 'node:stream';
import type { SearchedOffer } from '../representations/offer-view.js';
import { withList } from '../representations/partial-answer.js';
import { ApiError } from '../status/api-error.js';
import { type ErrorEntry, type StatusContainer, statusContainer } from '../status/status-container.js';
import { merge } from '../suppliers/merge.js';
import { type CallOutcome, foldCalls } from '../suppliers/outcome.js';
import type { OfferWriter } from './offer-writer.js';
import { supplierRow } from './supplier-row.js';
import type { VehiclesMembers } from './vehicles.wire.js';

/** The lines of a search, all of which are written once `made` resolves, whether or not they are read. */
export interface MadeLines {
  readonly readable: Readable;
  readonly made: Promise<void>;
}

/**
 * The NDJSON of one search: a head line, one line per outcome as it arrives, a last line with `status`. Nothing is sent
 * until `readable` is read.
 */
export class OfferStream {
  readonly readable = new Readable({ read: () => undefined });
  readonly #added = new Set<string>();
  /** Ends when the lines of all calls so far are written. */
  #lines: Promise<void> = Promise.resolve();
  #length = 0;

  /** `head` is the first line. `grown` is called with the length of all lines after each of them. */
  constructor(
    head: object,
    private readonly writer: Pick<OfferWriter, 'write'>,
    private readonly grown: (length: number) => void,
  ) {
    this.#push(JSON.stringify(head));
  }

  /** Writes the line of a call: its row of `suppliers[]`, its brand and its best `max_results` offers. */
  add(outcome: CallOutcome<SearchedOffer>): void {
    this.#added.add(keyOf(outcome));
    this.#lines = this.#lines.then(() => this.#write(outcome));
    // `end` reports it. Until then, nothing awaits it, and a rejection without a handler would end the process.
    this.#lines.catch(() => undefined);
  }

  /**
   * Writes a line for each remaining call (those cut off by timeout_ms), the lines of skipped suppliers and the last
   * line, whose error entries it returns. `outcomes` are all outcomes in order; `requestTime` is in epoch milliseconds.
   */
  async end(
    outcomes: readonly CallOutcome<SearchedOffer>[],
    skipped: VehiclesMembers['suppliers'],
    requestTime: number,
  ): Promise<readonly ErrorEntry[]> {
    for (const outcome of outcomes) if (!this.#added.has(keyOf(outcome))) this.add(outcome);
    await this.#lines;
    for (const row of skipped) this.#push(JSON.stringify({ ...row, vehicles: [] }));
    const status = finalStatus(outcomes, requestTime);
    this.#push(JSON.stringify({ status }));
    this.readable.push(null);
    return status.errors ?? [];
  }

  async #write(outcome: CallOutcome<SearchedOffer>): Promise<void> {
    const folded = foldCalls([outcome]);
    const { items } = await this.writer.write(folded);
    const rows = folded.map((row) => JSON.stringify({ ...supplierRow(row), brand: outcome.brand }));
    for (const row of rows) this.#push(withList(row, { name: 'vehicles', items }));
  }

  #push(line: string | Buffer): void {
    this.readable.push(line);
    this.readable.push('\n');
    this.#length += line.length + 1;
    this.grown(this.#length);
  }
}

function keyOf({ supplier, brand }: CallOutcome<unknown>): string {
  return `${supplier.id}|${brand ?? ''}`;
}

function finalStatus(outcomes: readonly CallOutcome<SearchedOffer>[], requestTime: number): StatusContainer {
  try {
    const { partial, problems } = merge(foldCalls(outcomes));
    return statusContainer(requestTime, partial ? 206 : 200, problems);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return statusContainer(requestTime, undefined, error.problems);
  }
}

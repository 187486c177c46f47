import { countNotification } from '../metrics/alert-metrics.js';
import type { Notice } from './alert-words.js';

/** A way to notify people. `send` rejects if it should be tried again. */
export interface Channel {
  readonly name: 'webhook' | 'mail';
  send(alert: Notice): Promise<void>;
}

const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 300_000;
/** About 40 minutes with these pauses. */
const MOST_TRIES = 12;
/** A firing alert is repeated: its receiver may have lost it. Alertmanager repeats after 4 hours as well. */
const REPEAT_MS = 4 * 3_600_000;

interface Waiting {
  readonly alert: Notice;
  tries: number;
  dueMs: number;
}

/**
 * Sends alerts over one channel, each until it was accepted or tried 12 times. What waits is bounded: one alert per objective and
 * pair, in its newest state. `failed` is called with the last error of an alert that is given up.
 */
export class Notifications {
  readonly #waiting = new Map<string, Waiting>();
  readonly #repeatMs = new Map<string, number>();
  #sending: Promise<void> | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly nowMs: () => number,
    private readonly failed: (alert: Notice, error: unknown) => void,
  ) {}

  /** Adds changed alerts, repeats firing ones, and sends what is due. Resolves when that was tried; never rejects. */
  async turn(changed: readonly Notice[], firing: readonly Notice[]): Promise<void> {
    const nowMs = this.nowMs();
    for (const alert of changed) this.#add(alert, nowMs);
    const firingKeys = new Set(firing.map(({ key }) => key));
    for (const key of this.#repeatMs.keys()) if (!firingKeys.has(key)) this.#repeatMs.delete(key);
    for (const alert of firing)
      if (this.channel.name === 'webhook' && nowMs - (this.#repeatMs.get(alert.key) ?? nowMs) >= REPEAT_MS)
        this.#add(alert, nowMs);
    this.#sending ??= this.#sendDue().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  #add(alert: Notice, nowMs: number): void {
    this.#waiting.set(alert.key, { alert, tries: 0, dueMs: nowMs });
    this.#repeatMs.set(alert.key, nowMs);
  }

  async #sendDue(): Promise<void> {
    for (const [key, waiting] of [...this.#waiting]) if (waiting.dueMs <= this.nowMs()) await this.#try(key, waiting);
  }

  async #try(key: string, waiting: Waiting): Promise<void> {
    try {
      await this.channel.send(waiting.alert);
      countNotification(this.channel.name, 'sent');
      this.#forget(key, waiting);
    } catch (error) {
      countNotification(this.channel.name, 'failed');
      waiting.tries += 1;
      waiting.dueMs = this.nowMs() + Math.min(FIRST_RETRY_MS * 2 ** (waiting.tries - 1), LONGEST_RETRY_MS);
      if (waiting.tries < MOST_TRIES) return;
      countNotification(this.channel.name, 'dropped');
      this.#forget(key, waiting);
      this.failed(waiting.alert, error);
    }
  }

  /** Unless a newer state of the alert has taken its place. */
  #forget(key: string, waiting: Waiting): void {
    if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
  }
}

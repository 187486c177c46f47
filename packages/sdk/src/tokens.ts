import type { Budget } from './budget.js';
import { ForecourtError } from './errors.js';
import type { Token } from './types.js';

/** A token is renewed so long before it expires, but at most a tenth of its lifetime. */
const EARLY_MS = 60_000;

interface Known {
  readonly value: string;
  readonly renewAt: number;
  readonly endsAt: number;
}

/** The access token of a client: one for all calls, renewed once however many calls wait for it. */
export class Tokens {
  private known: Known | undefined;
  private renewal: Promise<string> | undefined;

  /** `source` returns a new token. Calls throw its error: a ForecourtError as it is, anything else as the `cause` of one. */
  constructor(private readonly source: () => Promise<Token>) {}

  /** A token that is valid; the old one if it still is and no new one can be had. */
  async current(budget: Budget): Promise<string> {
    const { known } = this;
    if (known && Date.now() < known.renewAt) return known.value;
    this.renewal ??= this.renew().finally(() => {
      this.renewal = undefined;
    });
    try {
      return await budget.race(this.renewal);
    } catch (error) {
      budget.check(error);
      if (known && known === this.known && Date.now() < known.endsAt) return known.value;
      throw ownCopy(error);
    }
  }

  /** Forgets a token that was answered with 401; ignored if there is already another one. */
  refused(token: string): void {
    if (this.known?.value === token) this.known = undefined;
  }

  private async renew(): Promise<string> {
    const asked = Date.now();
    const { access_token: value, expires_in: seconds } = await this.source();
    const lifetime = seconds * 1_000;
    this.known = { value, endsAt: asked + lifetime, renewAt: asked + lifetime - Math.min(EARLY_MS, lifetime / 10) };
    return value;
  }
}

/** Calls that waited for the same token have an error each: a booking adds its key to it. */
function ownCopy(error: unknown): ForecourtError {
  if (!(error instanceof ForecourtError)) return new ForecourtError('Could not get an access token.', { cause: error });
  const copy = Object.create(Object.getPrototypeOf(error), Object.getOwnPropertyDescriptors(error));
  // In V8, it is computed for the object that was created as an error.
  return Object.defineProperty(copy, 'stack', { value: error.stack, writable: true, configurable: true });
}

import { type SupplierContext, SupplierError, type SupplierSession } from '../model/supplier.js';
import { TokenBucket } from './resilience/token-bucket.js';

/** Logins after a refusal: this many in one burst, then one every ten seconds. A lost session needs one. */
const LOGIN_BURST = 3;
const LOGINS_PER_SECOND = 1 / 10;

/** Share of the stated lifetime after which a session is renewed. */
const LIFETIME_SHARE = 0.9;
/** The shortest lifetime used, whatever the supplier states: a lifetime of 0 would mean a login per call. */
const LEAST_SECONDS = 5;
/** The longest: a lifetime in another unit, or an absurd one, must not keep a session that no longer works. */
const MOST_SECONDS = 86_400;

/** Characters of all headers of a session together. Many servers refuse a request with more than 8 KB of them. */
const MOST_CHARACTERS = 8_192;
/** Any other character would break the header, or begin another one. */
const SENDABLE = /^[\x20-\x7e]*$/;

/** What a login needs of the request that starts it. */
export type LoginContext = Pick<SupplierContext, 'requestId' | 'environment'>;

/** Headers that authenticate calls until `renewAt` (epoch milliseconds). */
export interface Session {
  readonly headers: Readonly<Record<string, string>>;
  readonly renewAt: number;
}

/**
 * The session of one supplier, shared by all calls. It is fetched by the first call that needs it, renewed before it
 * expires, at the latest after a day, and replaced if the supplier refuses it. One that can't be sent is never kept: no
 * call with it would reach the supplier, so nothing would replace it. A supplier that refuses every session gets a
 * bounded number of logins (docs/decisions/0032-refused-sessions.md).
 */
export class SupplierSessions {
  #current: Promise<Session> | undefined;
  /** The session of `#current`, as soon as it is known. */
  #known: Session | undefined;
  /** Why the last login failed, if the supplier refused it. */
  #refusal: SupplierError | undefined;
  readonly #logins: TokenBucket;

  /** `login` obtains a session, or rejects with SupplierError. `now` is a monotonic clock in milliseconds. */
  constructor(
    private readonly login: (context: LoginContext) => Promise<SupplierSession>,
    now: () => number = () => performance.now(),
  ) {
    this.#logins = new TokenBucket(LOGINS_PER_SECOND, LOGIN_BURST, now);
  }

  /**
   * The shared session. The first caller that finds none or an expired one fetches it, and the others wait for that.
   * Rejects with the SupplierError of the login; if the supplier refused the last login, possibly without a new one.
   */
  async live(context: LoginContext): Promise<Session> {
    const current = this.#current;
    if (current) {
      const session = await current;
      if (Date.now() < session.renewAt) return session;
      if (this.#current === current) {
        this.#current = undefined;
        this.#known = undefined;
      }
    }
    if (this.#current === undefined && this.#refusal && !this.#logins.take()) {
      const { fault, message } = this.#refusal;
      throw new SupplierError(fault, message, false);
    }
    this.#current ??= this.#renew(context);
    return this.#current;
  }

  /**
   * Reports that the supplier refused a call with this session. Returns whether the next call uses another one; false
   * if too many sessions were refused: then this one is kept.
   */
  refused(session: Session): boolean {
    if (this.#known !== session) return true;
    if (!this.#logins.take()) return false;
    this.#current = undefined;
    this.#known = undefined;
    return true;
  }

  /** Not tied to the caller that started it: if that caller disconnects, others may still wait for the session. */
  #renew(context: LoginContext): Promise<Session> {
    const renewing = this.#fetch(context);
    renewing.then(
      (session) => {
        this.#refusal = undefined;
        if (this.#current === renewing) this.#known = session;
      },
      // Those who wait get the error; the next caller tries again.
      (error: unknown) => {
        this.#refusal = error instanceof SupplierError && error.fault === 'auth' ? error : undefined;
        if (this.#current === renewing) this.#current = undefined;
      },
    );
    return renewing;
  }

  async #fetch(context: LoginContext): Promise<Session> {
    const { headers, expiresInSeconds } = await this.login(context);
    refuseUnsendable(headers);
    if (Number.isNaN(expiresInSeconds))
      throw new SupplierError('bad_payload', 'the session has no lifetime in seconds');
    const seconds = Math.max(Math.min(expiresInSeconds * LIFETIME_SHARE, MOST_SECONDS), LEAST_SECONDS);
    return { headers, renewAt: Date.now() + seconds * 1_000 };
  }
}

/** Throws SupplierError `bad_payload` if calls can't carry the headers. Quotes nothing of them. */
function refuseUnsendable(headers: Session['headers']): void {
  let characters = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!SENDABLE.test(value))
      throw new SupplierError('bad_payload', `the session has a character that the header ${name} can't carry`);
    characters += name.length + value.length;
  }
  if (characters > MOST_CHARACTERS)
    throw new SupplierError('bad_payload', `the headers of the session have more than ${MOST_CHARACTERS} characters`);
}

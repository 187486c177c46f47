/** How long a gateway that starts asks again. */
const MOST_MS = 60_000;
/** What the driver says when a connection took too long; its errors have no code. */
const LATE = /^timeout expired$|^timeout exceeded when trying to connect$|due to connection timeout$/;

/**
 * Calls `work` again while connecting to PostgreSQL takes too long, for at most a minute. When many gateways start on one machine, each is
 * busy loading its code: the answer of the database is there, but the timer is seen first. `tell` receives a sentence each time. Rejects with
 * any other error immediately, for example if the connection is refused, and with the last one.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  tell: (message: string) => void,
  mostMs: number = MOST_MS,
): Promise<T> {
  const since = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const waited = performance.now() - since;
      if (!(error instanceof Error) || !LATE.test(error.message) || waited > mostMs) throw error;
      tell(`PostgreSQL did not answer in time. Asking again, since ${Math.round(waited / 1_000)} s.`);
    }
  }
}

import { wasLate } from './database-fault.js';

/** How long a gateway that starts asks again. */
const MOST_MS = 60_000;
/**
 * Calls `work` again while PostgreSQL is late (`wasLate`), for at most a minute. When many gateways start on one machine, each is
 * busy loading its code: the answer of the database is there, but the timer is seen first; and one that was interrupted in a transaction
 * holds its locks meanwhile. `work` may be carried out several times. `tell` receives a sentence each time. Rejects with
 * any other error immediately, for example if the connection is refused, and after the minute with one that says so.
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
      if (!wasLate(error)) throw error;
      const seconds = Math.round(waited / 1_000);
      if (waited > mostMs)
        throw new Error(
          `PostgreSQL did not answer in time for ${seconds} s. Check DATABASE_URL and the load of the server.`,
          {
            cause: error,
          },
        );
      tell(`PostgreSQL did not answer in time. Asking again, since ${seconds} s.`);
    }
  }
}

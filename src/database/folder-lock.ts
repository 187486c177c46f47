import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** Those that this process has taken. Garbage collection would release them. */
const locks = new Set<DatabaseSync>();

/**
 * Locks a folder for this process and returns the function that releases it. Throws if it is locked. The operating system
 * keeps the lock, on `database.held` next to the folder, until the process ends, however it ends. A pid doesn't identify the
 * holder, because the gateway is process 1 in each container: `database.lock` has it only for error messages and `gw doctor`.
 */
export function lockFolder(folder: string): () => void {
  const [file, held] = [join(folder, '..', 'database.lock'), join(folder, '..', 'database.held')];
  // Earlier versions lock with the pid alone.
  if (!existsSync(held) && isAlive(holderOf(file))) throw inUse(file);
  const release = hold(held, file);
  try {
    writeFileSync(file, String(process.pid), { mode: 0o600 });
  } catch (error) {
    release();
    throw error;
  }
  return () => {
    rmSync(file, { force: true });
    release();
  };
}

/**
 * Takes the lock of the operating system, with SQLite, which can on each platform. The file stays empty, and there: a new one
 * would be another lock. Nothing else may open it: closing a file ends all locks that the process has on it.
 */
function hold(held: string, file: string): () => void {
  if (!existsSync(held)) closeSync(openSync(held, 'a', 0o600));
  const lock = new DatabaseSync(held);
  try {
    lock.exec('pragma journal_mode = off; begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) throw inUse(file);
    throw new Error(`cannot lock ${held}: choose a folder on a local disk with DATA_DIR`, { cause: error });
  }
  locks.add(lock);
  return () => {
    if (locks.delete(lock)) lock.close();
  };
}

function inUse(file: string): Error {
  return new Error(
    `the data folder is in use by process ${holderOf(file)}, perhaps of another container. Stop it, choose another folder with DATA_DIR, or set DATABASE_URL to share one PostgreSQL.`,
  );
}

function holderOf(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Locks `<folder>.lock` for this process (the file contains its pid) and returns the function that releases it. Throws
 * if a running process holds the lock. The lock of a killed process is taken over.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, '..', 'database.lock');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = Number(readFileSync(file, 'utf8'));
      if (holder !== process.pid && isAlive(holder)) {
        throw new Error(
          `the data folder is in use by process ${holder}. Stop it, choose another folder with DATA_DIR, or set DATABASE_URL to share one PostgreSQL.`,
        );
      }
      rmSync(file, { force: true });
    }
  }
  throw new Error(`cannot lock ${file}`);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

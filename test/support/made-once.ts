import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder that `make` fills once for all specs and runs. It stays among the temporary files on the disk, so `name` must include
 * what it depends on.
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<void> | void): Promise<string> {
  const folder = join(process.env.TEST_KEPT_FOLDER ?? tmpdir(), name);
  if (existsSync(folder)) return folder;
  const making = mkdtempSync(`${folder}-`);
  await make(making);
  try {
    renameSync(making, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    // Another worker was faster.
    rmSync(making, { recursive: true });
  }
  return folder;
}

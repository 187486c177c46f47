import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { lockFolder } from './folder-lock.js';

const root = mkdtempSync(join(tmpdir(), 'forecourt-lock-'));
afterAll(() => rmSync(root, { recursive: true }));

function folder(name: string): string {
  const path = join(root, name, 'database');
  mkdirSync(path, { recursive: true });
  return path;
}

describe('lockFolder', () => {
  it('rejects a folder locked by a running process and explains what to do', () => {
    const path = folder('held');
    writeFileSync(join(path, '..', 'database.lock'), String(process.ppid));
    expect(() => lockFolder(path)).toThrow(/in use by process \d+.*DATA_DIR.*DATABASE_URL/s);
  });

  it('takes over the lock of a killed process', () => {
    const path = folder('stale');
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(path, '..', 'database.lock'), String(pid));
    expect(lockFolder(path)).toBeInstanceOf(Function);
  });

  it('releases the folder', () => {
    const path = folder('free');
    lockFolder(path)();
    lockFolder(path)();
  });
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { lockFolder } from './folder-lock.js';

const root = mkdtempSync(join(tmpdir(), 'forecourt-lock-'));
const holders: ChildProcess[] = [];
afterAll(() => {
  for (const holder of holders) holder.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

function folder(name: string): string {
  const path = join(root, name, 'database');
  mkdirSync(path, { recursive: true });
  return path;
}

const MODULE = new URL('./folder-lock.ts', import.meta.url).href;
const LOCKING = `import(process.argv[1]).then(({ lockFolder }) => {
  lockFolder(process.argv[2]);
  console.log('locked');
  setInterval(() => undefined, 1_000);
});`;

/** A process that has locked the folder. */
async function lockedElsewhere(path: string): Promise<ChildProcess> {
  const holder = spawn(process.execPath, ['-e', LOCKING, MODULE, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  holders.push(holder);
  await once(holder.stdout, 'data');
  return holder;
}

describe('lockFolder', () => {
  it('rejects a folder locked by a running process of an earlier version and explains what to do', () => {
    const path = folder('held');
    writeFileSync(join(path, '..', 'database.lock'), String(process.ppid));
    for (const _ of ['first', 'again'])
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
    expect(existsSync(join(path, '..', 'database.lock'))).toBe(false);
  });

  it('is held against a process with the same pid, as in another container, until its holder is killed', async () => {
    const path = folder('container');
    const holder = await lockedElsewhere(path);
    writeFileSync(join(path, '..', 'database.lock'), String(process.pid));
    expect(() => lockFolder(path)).toThrow(/in use by process \d+, perhaps of another container/);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    // Another process has the pid of the killed one by now.
    writeFileSync(join(path, '..', 'database.lock'), String(process.ppid));
    lockFolder(path)();
  });

  it('is held against its own process', () => {
    const path = folder('twice');
    const release = lockFolder(path);
    expect(() => lockFolder(path)).toThrow('in use');
    const other = spawnSync(process.execPath, ['-e', LOCKING, MODULE, path], { encoding: 'utf8', timeout: 5_000 });
    expect(other.stderr).toContain(`in use by process ${process.pid}`);
    release();
    lockFolder(path)();
  });
});

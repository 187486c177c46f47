import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sampleEntry } from './fixtures/sample-entry.js';
import { MADE_AT } from './fixtures/sample-reservation.js';
import { entriesIn, type JournalEntry, JournalFolder } from './journal-folder.js';

const DAY = 86_400_000;
const TODAY = `${new Date(MADE_AT).toISOString().slice(0, 10)}.jsonl`;

let base: string;
let folder: string;
let journal: JournalFolder;
let lost: number[];
beforeEach(() => {
  lost = [];
  base = mkdtempSync(join(tmpdir(), 'forecourt-journal-'));
  folder = join(base, 'data', 'journal');
  journal = new JournalFolder(folder, undefined, { lost: (lines) => lost.push(lines) });
});
afterEach(async () => {
  await journal.settled();
  rmSync(base, { recursive: true, force: true });
});

const entry = (number: number, changes: Partial<JournalEntry> = {}) =>
  sampleEntry({ ref: `res_${String(number).padStart(20, '0')}`, ...changes });

/** A line that must be written, however late. */
const numbered = (number: number, changes: Partial<JournalEntry> = {}) =>
  entry(number, { op: 'number', number: `N${number}`, ...changes });

/** What all open files are. */
async function handles(): Promise<FileHandle> {
  const file = await open(base, constants.O_RDONLY);
  await file.close();
  return Object.getPrototypeOf(file);
}

async function until(isTrue: () => Promise<unknown>): Promise<void> {
  while (!(await isTrue())) await wait(10);
}

async function read(since = MADE_AT): Promise<{ entries: JournalEntry[]; skipped: number }> {
  const entries: JournalEntry[] = [];
  let skipped = 0;
  const skip = () => {
    skipped += 1;
  };
  for await (const one of entriesIn(folder, since, skip)) entries.push(one);
  return { entries, skipped };
}

describe('a line', () => {
  it('is in that day’s file before append resolves; only the owner can read folder and file', async () => {
    await journal.append(entry(1));
    expect(readFileSync(join(folder, TODAY), 'utf8')).toBe(`\n${JSON.stringify(entry(1))}\n`);
    expect([folder, join(folder, TODAY)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it('is not written through a symbolic link', async () => {
    const other = join(base, 'other.txt');
    mkdirSync(folder, { recursive: true });
    writeFileSync(other, 'kept');
    symlinkSync(other, join(folder, TODAY));
    await expect(journal.append(entry(1))).rejects.toThrow('ELOOP');
    expect(readFileSync(other, 'utf8')).toBe('kept');
  });

  it('stays complete when several gateways write many concurrently', async () => {
    const other = new JournalFolder(folder);
    const all = Array.from({ length: 200 }, (_, index) => entry(index));
    await Promise.all(all.map((one, index) => (index % 2 ? journal : other).append(one)));
    const { entries, skipped } = await read();
    expect([entries.length, skipped, new Set(entries.map(({ ref }) => ref)).size]).toEqual([200, 0, 200]);
    await other.settled();
  });

  it('is in a file of its own for each named gateway, and read by all, so that a network file system mixes none', async () => {
    const [one, two] = [
      new JournalFolder(folder, 'gateway-7c9d-x2x4q'),
      new JournalFolder(folder, 'gateway-7c9d-9kd2p'),
    ];
    await Promise.all([one.append(entry(1)), two.append(entry(2))]);
    await Promise.all([one.settled(), two.settled()]);
    const day = TODAY.slice(0, 10);
    expect(readdirSync(folder).sort()).toEqual([`${day}.gateway-7c9d-9kd2p.jsonl`, `${day}.gateway-7c9d-x2x4q.jsonl`]);
    expect(new Set((await read()).entries)).toEqual(new Set([entry(1), entry(2)]));
    await one.prune(MADE_AT + 2 * DAY);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('begins on a new line after one that was cut off', async () => {
    await journal.append(entry(1));
    appendFileSync(join(folder, TODAY), '{"at":"2027-01-0');
    await journal.append(entry(2));
    expect(await read()).toEqual({ entries: [entry(1), entry(2)], skipped: 1 });
  });

  it('is written to a new file if the folder was deleted meanwhile', async () => {
    await journal.append(entry(1));
    await journal.settled();
    rmSync(folder, { recursive: true });
    await journal.append(entry(2));
    expect((await read()).entries).toEqual([entry(2)]);
  });
});

describe('a folder that cannot be written', () => {
  const block = () => {
    mkdirSync(join(base, 'data'));
    writeFileSync(folder, 'a file in place of the folder');
  };

  it('rejects the line, and every probe until it can be written again', async () => {
    await expect(journal.probe(entry(1).at)).resolves.toBeUndefined();
    block();
    await expect(journal.append(entry(1))).rejects.toThrow('ENOTDIR');
    await expect(journal.probe(entry(1).at)).rejects.toThrow('ENOTDIR');
    rmSync(folder);
    await journal.probe(entry(1).at);
    await journal.append(entry(2));
    expect(await read()).toEqual({ entries: [entry(2)], skipped: 0 });
  });

  it('gets the lines of changes as soon as another line can be written, and brings them to the disk', async () => {
    const synced = jest.spyOn(await handles(), 'datasync');
    block();
    const lines = [numbered(1), numbered(2, { at: new Date(MADE_AT - DAY).toISOString() }), numbered(3)];
    for (const line of lines) await expect(journal.append(line)).rejects.toThrow('ENOTDIR');
    expect(synced).not.toHaveBeenCalled();
    rmSync(folder);
    await journal.append(entry(4));
    await journal.settled();
    expect(synced.mock.calls.length).toBeGreaterThanOrEqual(2);
    synced.mockRestore();
    expect(await read(0)).toEqual({ entries: expect.arrayContaining([...lines, entry(4)]), skipped: 0 });
    expect((await read(0)).entries).toHaveLength(4);
    expect(lost).toEqual([]);
  });

  it('gets them by itself, and no line of a booking, which was refused', async () => {
    const patient = new JournalFolder(folder, undefined, { retryMs: 10 });
    block();
    await expect(patient.append(entry(1))).rejects.toThrow('ENOTDIR');
    await expect(patient.append(numbered(2))).rejects.toThrow('ENOTDIR');
    rmSync(folder);
    await until(async () => (await read()).entries.length > 0);
    await patient.settled();
    expect((await read()).entries).toEqual([numbered(2)]);
  });

  it('loses those that are too many or come too late, and reports how many', async () => {
    const small = new JournalFolder(folder, undefined, { mostOwed: 1, lost: (lines) => lost.push(lines) });
    block();
    for (const number of [1, 2, 3]) await expect(small.append(numbered(number))).rejects.toThrow('ENOTDIR');
    rmSync(folder);
    await small.append(entry(4));
    await small.settled();
    expect((await read()).entries).toEqual([entry(4), numbered(1)]);
    expect(lost).toEqual([2]);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file in place of the folder');
    await expect(small.append(numbered(5))).rejects.toThrow('ENOTDIR');
    await small.settled();
    expect(lost).toEqual([2, 1]);
    rmSync(folder);
  });
});

describe('a file system that hangs', () => {
  // Opening a pipe that nothing reads waits as a network file system does whose server is gone.
  it('rejects each line within seconds, takes few threads from others, and takes lines again once it answers', async () => {
    mkdirSync(folder, { recursive: true });
    const pipe = join(folder, TODAY);
    execFileSync('mkfifo', [pipe]);
    const startedAt = performance.now();
    const lines = Array.from({ length: 12 }, (_, index) => journal.append(entry(index)));
    lines.push(journal.append(numbered(15)));
    const pruning = journal.prune(MADE_AT - DAY);
    const zipped = await promisify(gzip)('text');
    // Milliseconds if a thread is free; without one, it waits until the calls end after two seconds.
    expect([zipped.length > 0, performance.now() - startedAt < 1_500]).toEqual([true, true]);
    const ends = await Promise.allSettled(lines);
    expect(new Set(ends.map((end) => end.status === 'rejected' && String(end.reason)))).toEqual(
      new Set(['Error: the file system does not answer within 2000 ms']),
    );
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    const again = performance.now();
    await expect(journal.append(entry(12))).rejects.toThrow('does not answer');
    await expect(journal.append(numbered(14))).rejects.toThrow('does not answer');
    await expect(journal.probe(entry(12).at)).rejects.toThrow('does not answer');
    // Milliseconds; a line that is tried waits for two seconds.
    expect(performance.now() - again).toBeLessThan(500);
    // The call that hangs ends with an error; the one after it finds a file again.
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    renameSync(pipe, `${pipe}.pipe`);
    closeSync(reader);
    await pruning;
    await journal.probe(entry(12).at);
    await journal.append(entry(13));
    expect(await read()).toEqual({ entries: [numbered(15), numbered(14), entry(13)], skipped: 0 });
  });

  // A call to a network file system that is mounted with `soft` ends with an error, and so may the ones after it.
  it('gets the lines of changes once it takes lines, although the call that hung ended with an error', async () => {
    mkdirSync(folder, { recursive: true });
    const pipe = join(folder, TODAY);
    execFileSync('mkfifo', [pipe]);
    const late = [numbered(1), numbered(2)];
    const ends = await Promise.allSettled(late.map((line) => journal.append(line)));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(journal.append(numbered(3))).rejects.toThrow('does not answer');
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    renameSync(pipe, `${pipe}.pipe`);
    mkdirSync(pipe);
    closeSync(reader);
    await until(() => journal.append(numbered(4)).then(Object, (error) => String(error).includes('EISDIR')));
    await expect(journal.probe(entry(5).at)).rejects.toThrow('EISDIR');
    rmdirSync(pipe);
    await journal.probe(entry(5).at);
    await journal.settled();
    const { entries, skipped } = await read();
    expect([new Set(entries.map(({ ref }) => ref.at(-1))), skipped]).toEqual([new Set(['1', '2', '3', '4']), 0]);
    expect(lost).toEqual([]);
  });
});

describe('reading', () => {
  it('finds nothing in a folder that does not exist', async () => {
    expect(await read()).toEqual({ entries: [], skipped: 0 });
  });

  it('reads the files of all gateways, and only entries since the given time', async () => {
    await journal.append(entry(1));
    await journal.append(entry(2, { at: new Date(MADE_AT + 1).toISOString() }));
    const copied = entry(3, { at: new Date(MADE_AT + DAY).toISOString() });
    writeFileSync(join(folder, 'copied-from-gateway2.jsonl'), JSON.stringify(copied));
    writeFileSync(join(folder, 'notes.txt'), JSON.stringify(entry(4)));
    expect((await read(MADE_AT + 1)).entries.map(({ ref }) => ref.at(-1)).sort()).toEqual(['2', '3']);
  });

  it('skips and counts what no gateway wrote', async () => {
    await journal.append(entry(1));
    const wrong = ['{}', 'null', '[', JSON.stringify({ ...entry(2), op: 'pay' }), `"${'x'.repeat(3_000)}"`];
    appendFileSync(join(folder, TODAY), `${wrong.join('\n')}\n`);
    expect(await read()).toEqual({ entries: [entry(1)], skipped: wrong.length });
  });
});

describe('pruning', () => {
  it('deletes only files of days that ended before the given time', async () => {
    await journal.append(entry(1));
    await journal.append(entry(2, { at: new Date(MADE_AT - 2 * DAY).toISOString() }));
    writeFileSync(join(folder, 'copied-from-gateway2.jsonl'), '');
    await journal.prune(MADE_AT);
    expect(readdirSync(folder).sort()).toEqual([TODAY, 'copied-from-gateway2.jsonl']);
  });
});

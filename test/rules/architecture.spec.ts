import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROJECT } from '../support/project.js';

const rooms = readdirSync(join(PROJECT, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');

describe('the rooms of src/', () => {
  it('are exactly those of docs/architecture.md', () => {
    const listed = [...read('docs/architecture.md').matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, room]) => room);
    expect(listed.sort()).toEqual([...rooms].sort());
  });

  it('each hold at most a fifth of the source', () => {
    const lines = new Map(rooms.map((room) => [room, linesOf(join(PROJECT, 'src', room))]));
    const total = [...lines.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(30_000);
    expect([...lines].filter(([, count]) => count > total / 5)).toEqual([]);
  });

  it('each have an import rule', () => {
    const rules = read('.dependency-cruiser.mjs');
    const ruled = rooms.filter((room) => new RegExp(`only\\(\\s*'${room}'|room\\('${room}'\\)`).test(rules));
    expect(ruled).toEqual(rooms);
  });
});

/** Lines of TypeScript in a folder, without specs and fixtures. */
function linesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.spec\.ts$|(^|\/)fixtures\//.test(path))
    .reduce((sum, path) => sum + readFileSync(join(folder, path), 'utf8').split('\n').length, 0);
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROJECT } from '../support/project.js';

const rooms = readdirSync(join(PROJECT, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
/** A source file that is not a spec. */
const SOURCE = /^[a-z-]+\.ts$/;
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

describe('the roles of files (docs/decisions/0021-rooms-and-roles.md)', () => {
  const page = read('docs/decisions/0021-rooms-and-roles.md');
  it.each(['adapters', 'simulators'])(
    'every name that two of %s share is in the table, and every name in it exists',
    (room) => {
      const [, table = ''] = page.split(`| Role in \`${room}/*\` | File |`);
      const roles = [...(table.split('\n\n')[0] ?? '').matchAll(/`([a-z-]+\.ts)`/g)].map(([, name = '']) => name);
      const folder = join(PROJECT, 'src', room);
      const dialects = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
        existsSync(join(folder, entry.name, room === 'adapters' ? 'adapter.ts' : 'simulator.ts')),
      );
      expect(dialects.length).toBeGreaterThan(2);
      const names = dialects.flatMap(({ name }) => readdirSync(join(folder, name)).filter((file) => SOURCE.test(file)));
      const shared = names.filter((name, index) => names.indexOf(name) !== index);
      expect(shared.filter((name) => !roles.includes(name))).toEqual([]);
      expect(roles.filter((name) => !names.includes(name))).toEqual([]);
    },
  );
});

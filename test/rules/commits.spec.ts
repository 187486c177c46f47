import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PROJECT } from '../support/project.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-commits-'));
const AUTHOR = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const LONG = 'build(lint): a summary of seventy-three characters, which is one too many';

const git = (...words: string[]) =>
  spawnSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...AUTHOR },
  }).stdout.trim();
const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', '-m', subject);
const check = (base: string, cwd = folder) =>
  spawnSync(process.execPath, [join(PROJECT, 'scripts', 'check-commits.mjs'), base], { cwd, encoding: 'utf8' });

beforeAll(() => {
  git('init', '--quiet');
  commit('Whatever was written before the base.');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('accepts Conventional Commits subjects of up to 72 characters after the base', () => {
  const base = git('rev-parse', 'HEAD');
  for (const subject of [LONG.slice(0, 72), 'feat!: drop v1', 'fix(ota-xml): read deposits']) commit(subject);
  const { status, stdout } = check(base);
  expect(stdout).toBe('3 commit subjects checked, 0 to change\n');
  expect(status).toBe(0);
});

it('names each subject that is too long or malformed, and how to change it', () => {
  const base = git('rev-parse', 'HEAD');
  for (const subject of [LONG, 'Fix the deposit', 'fix: read deposits.', 'docs: say why']) commit(subject);
  const { status, stdout } = check(base);
  expect(stdout).toContain('4 commit subjects checked, 3 to change');
  expect(stdout).toContain(`${LONG}\n  73 characters, at most 72`);
  expect(stdout).toMatch(/Fix the deposit\n {2}not "type\(scope\): summary"/);
  expect(stdout).toMatch(/read deposits\.\n {2}ends with a period/);
  expect(stdout).toContain(`git rebase -i ${base}`);
  expect(status).toBe(1);
});

it('passes if the base is not in the clone, or there is no repository', () => {
  expect(check('0123456').status).toBe(0);
  const { status, stdout } = check('HEAD', tmpdir());
  expect(stdout).toContain('not checked');
  expect(status).toBe(0);
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Runs the built command line. */
function gw(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/cli/gw.js', ...words], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const request = ['--request', 'docs/examples/vehicles-request.json'];
const recorded = ['--response', 'docs/examples/ota-vehicles-answer.xml'];

it.each([
  ['gw maintenance list', ['dist/cli/gw.js', 'maintenance', 'list'], 'there is no database in'],
  ['the simulators', ['dist/simulators.js'], 'has a simulator and is on'],
])('the secrets of suppliers that they never call are not needed by %s', (_name, words, next) => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-gw-'));
  mkdirSync(join(folder, 'suppliers'));
  const text =
    "id: real\nname: A\nadapter: ota-xml\nbrands: [A]\nurl: https://a.example\ncredentials: { key: '${REAL_KEY}' }\n";
  writeFileSync(join(folder, 'suppliers', 'real.yaml'), text);
  const env = { ...process.env, CONFIG_DIR: folder, DATA_DIR: folder };
  const { stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  expect(stderr).toContain(next);
  expect(stderr).not.toContain('REAL_KEY');
});

it.each(['plan', 'apply', 'verify'])(
  'gw migrate %s names the address of a database that is down, and the setting',
  (word) => {
    const env = { ...process.env, DATABASE_URL: 'postgresql://cars:secret@127.0.0.1:9/cars' };
    const { status, stderr } = spawnSync(process.execPath, ['dist/cli/gw.js', 'migrate', word], {
      encoding: 'utf8',
      env,
    });
    expect([status, stderr.trim()]).toEqual([
      2,
      'postgresql://cars:***@127.0.0.1:9/cars is not usable: connect ECONNREFUSED 127.0.0.1:9. Start PostgreSQL, or correct DATABASE_URL',
    ]);
  },
);

describe('gw adapter', () => {
  it('maps a recorded answer offline, with the model on stdout and messages on stderr', () => {
    const { status, stdout, stderr } = gw('adapter', 'try', 'alpine', 'searchVehicles', ...request, ...recorded);
    expect(status).toBe(0);
    const { vehicles } = JSON.parse(stdout) as {
      vehicles: { supplier: string; price: { total: object }; pickup: { date_utc: string } }[];
    };
    expect(vehicles.length).toBeGreaterThan(0);
    expect(vehicles[0]).toMatchObject({
      supplier: 'alpine',
      price: { total: { currency: expect.any(String), amount: expect.stringMatching(/^\d+\.\d\d$/) } },
    });
    expect(stderr).toMatch(/\d+ items?, \d+ warnings/);
  });

  it('reports a failed answer as its fault, with exit code 2 and nothing on stdout', () => {
    const { status, stdout, stderr } = gw(
      'adapter',
      'try',
      'alpine',
      'searchVehicles',
      '--status',
      '503',
      ...request,
      ...recorded,
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('the supplier failed: unavailable');
  });

  it.each(['fly', 'constructor', '__proto__'])('rejects the unknown command %s', (word) => {
    expect(gw(word)).toMatchObject({ stdout: '', stderr: expect.stringContaining(`unknown command '${word}'`) });
  });

  it.each([
    [['adapter', 'try', 'nobody', 'searchVehicles', ...request], /there is no supplier "nobody".*abg/],
    [['adapter', 'try', 'abg', 'fly', ...request], /no operation "fly"; it has searchLocations, searchVehicles/],
    [['adapter', 'try', 'abg', 'searchVehicles', '--request', 'nowhere.json'], /nowhere\.json is not readable JSON/],
    [['adapter', 'try', 'abg', 'searchVehicles', '--request', 'package.json'], /"name" is not a known field/],
  ])('reports what is wrong: %j', (words, message) => {
    const { status, stderr } = gw(...words);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  it.each([
    [['adapter', 'try', 'alpine', 'searchVehicles'], /required option '--request <file>'/],
    [['adapter', 'test', 'alpine', '--levle', 'gold'], /unknown option '--levle'/],
    [['adaptor'], /unknown command 'adaptor'/],
  ])('exits with 2, not 1, on wrong usage: %j', (words, message) => {
    const { status, stdout, stderr } = gw(...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('exits with 0 for --help', () => {
    expect(gw('adapter', 'try', '--help')).toMatchObject({ status: 0, stderr: '' });
  });

  it('finishes with its own exit code when the reader of its output disconnects', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecourt-gw-'));
    mkdirSync(join(folder, 'suppliers'));
    for (const id of ['fine', 'wrong']) {
      const options = id === 'fine' ? '' : 'options: { vendorCodes: 7 }\n';
      const text = `id: ${id}\nname: A\nadapter: ota-xml\nbrands: [A]\nsimulator: { dialect: ota }\n${options}`;
      writeFileSync(join(folder, 'suppliers', `${id}.yaml`), text);
    }
    const env = { ...process.env, CONFIG_DIR: folder };
    const child = spawn(process.execPath, ['dist/cli/gw.js', 'adapter', 'validate'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([2, null]);
    rmSync(folder, { recursive: true });
  });

  it('validates the shipped suppliers', () => {
    const { status, stdout } = gw('adapter', 'validate');
    expect(status).toBe(0);
    expect(stdout).toBe(
      'abg: valid (abg, live)\ndune: valid (rest, live)\nalpine: valid (ota-xml, live)\nbravo: valid (ota-xml, live)\ncobalt: valid (ota-xml, off)\nember: valid (rest, off)\n',
    );
  });
});

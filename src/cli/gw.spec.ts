import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** Runs the built command line. */
function gw(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/cli/gw.js', ...words], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const request = ['--request', 'docs/examples/vehicles-request.json'];
const recorded = ['--response', 'docs/examples/ota-vehicles-answer.xml'];

describe('gw adapter', () => {
  it('maps a recorded answer offline: our model on stdout, the rest on stderr', () => {
    const { status, stdout, stderr } = gw('adapter', 'try', 'alpine', 'searchVehicles', ...request, ...recorded);
    expect(status).toBe(0);
    const { vehicles } = JSON.parse(stdout) as { vehicles: { supplier: string; price: { total: object }; pickup: { date_utc: string } }[] };
    expect(vehicles.length).toBeGreaterThan(0);
    expect(vehicles[0]).toMatchObject({
      supplier: 'alpine',
      price: { total: { currency: expect.any(String), amount: expect.stringMatching(/^\d+\.\d\d$/) } },
    });
    expect(stderr).toMatch(/\d+ items?, \d+ warnings/);
  });

  it('reports a failed answer as its fault, with exit code 2 and nothing on stdout', () => {
    const { status, stdout, stderr } = gw('adapter', 'try', 'alpine', 'searchVehicles', '--status', '503', ...request, ...recorded);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('the supplier failed: unavailable');
  });

  it.each(['fly', 'constructor', '__proto__'])('knows no command %s', (word) => {
    expect(gw(word)).toMatchObject({ stdout: '', stderr: expect.stringContaining(`unknown command '${word}'`) });
  });

  it.each([
    [['adapter', 'try', 'nobody', 'searchVehicles', ...request], /there is no supplier "nobody".*abg/],
    [['adapter', 'try', 'abg', 'fly', ...request], /no operation "fly"; it has searchLocations, searchVehicles/],
    [['adapter', 'try', 'abg', 'searchVehicles', '--request', 'nowhere.json'], /nowhere\.json is not readable JSON/],
    [['adapter', 'try', 'abg', 'searchVehicles', '--request', 'package.json'], /"name" is not a known field/],
    [['adapter', 'try', 'abg', 'searchVehicles', ...request], /supplier abg has no url/],
  ])('says what is wrong: %j', (words, message) => {
    const { status, stderr } = gw(...words);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('validates the shipped suppliers', () => {
    const { status, stdout } = gw('adapter', 'validate');
    expect(status).toBe(0);
    expect(stdout).toBe(
      'abg: valid (abg, live)\ndune: valid (hold-rest, live)\nalpine: valid (ota-xml, live)\nbravo: valid (ota-xml, live)\ncobalt: valid (ota-xml, off)\n',
    );
  });
});

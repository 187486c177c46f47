import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../config/load-config.js';
import { createAdapter } from './create-adapter.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'suppliers'));

/** The error message for a supplier file; its lines are counted from 1. */
function refusalOf(...lines: readonly string[]): string {
  const head = ['id: delta', 'name: Delta', 'brands: [Delta]', 'url: http://localhost'];
  writeFileSync(join(folder, 'suppliers', 'delta.yaml'), [...head, ...lines].join('\n'));
  const [supplier] = loadConfig(folder, {}).suppliers;
  try {
    return supplier ? `built ${Object.keys(createAdapter(supplier)).join()}` : 'no supplier';
  } catch (error) {
    return String(error);
  }
}

describe('createAdapter rejects settings with file, line and key', () => {
  it.each([
    [
      'an invalid value deep in a manifest',
      [
        'adapter: rest',
        'options:',
        '  location: { code: id, name: n, countryCode: c }',
        '  searchLocations:',
        '    rows: "a["',
      ],
      'suppliers/delta.yaml:9 options.searchLocations.rows: ',
    ],
    [
      'a key of a list, written over several lines',
      [
        'adapter: rest',
        'options:',
        '  errors:',
        '    - { status: 400, means: rejected }',
        '    - status: 401',
        '      means: nonsense',
      ],
      'suppliers/delta.yaml:10 options.errors.1.means: ',
    ],
    [
      'a missing key, at the nearest one above it',
      ['adapter: rest', 'options:', '  money: minor', '  searchVehicles:', '    expects: ok'],
      'suppliers/delta.yaml:8 options.searchVehicles.request: ',
    ],
    [
      'a switch of the OTA dialect',
      ['adapter: ota-xml', 'options:', '  envelope: soap13'],
      'suppliers/delta.yaml:7 options.envelope: ',
    ],
    ['a kind that does not exist', ['adapter: soap'], 'suppliers/delta.yaml:5 adapter: unknown adapter "soap"'],
  ])('%s', (_title, lines, place) => {
    expect(refusalOf(...lines)).toContain(place);
  });

  it('doesn’t name a line for settings that were not read from a file', () => {
    refusalOf('adapter: ota-xml');
    const [supplier] = loadConfig(folder, {}).suppliers;
    expect(() =>
      createAdapter({ ...(supplier as NonNullable<typeof supplier>), options: { envelope: 'soap13' } }),
    ).toThrow('suppliers/delta.yaml options.envelope: ');
  });
});

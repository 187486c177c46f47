import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { PROJECT } from '../support/project.js';

test('docs/limits.md shows the tier "standard" as it is shipped', () => {
  const [, example = ''] = /```yaml\n(standard:[\s\S]*?)```/.exec(read('docs/limits.md')) ?? [];
  expect(parse(example)).toMatchObject({ standard: parse(read('config/tiers.yaml')).standard });
});

function read(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8');
}

import { expect, it } from '@jest/globals';
import { sources } from '../../scripts/sources.mjs';
import { PROJECT } from '../support/project.js';

const MOST_LINES = 300;
/** Tests may be longer: their length comes from cases. */
const CODE = /^(?:src|packages|scripts|test)\/.*(?<!\.spec|\.contract)\.(?:tsx?|mjs|js)$/;

it(`no source file is longer than ${MOST_LINES} lines`, () => {
  const long = sources(PROJECT)
    .filter(({ path, text }) => CODE.test(path) && text.split('\n').length - 1 > MOST_LINES)
    .map(({ path }) => path);
  expect(long).toEqual([]);
});

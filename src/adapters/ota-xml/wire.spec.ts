import { describe, expect, it } from '@jest/globals';
import { readXml } from '../xml/read-xml.js';
import { attribute, flag, items } from './wire.js';

describe('the items of a list', () => {
  it.each([
    ['in one container', '<A><Fees><Fee n="1"/><Fee n="2"/></Fees></A>', ['1', '2']],
    ['a container each', '<A><Fees><Fee n="1"/></Fees><Other/><Fees><Fee n="2"/></Fees></A>', ['1', '2']],
    ['without a container', '<A><Fee n="1"/><Other/><Fee n="2"/></A>', ['1', '2']],
    ['a single one', '<A><Fee n="1"/></A>', ['1']],
    ['an empty container next to others', '<A><Fees/><Other/></A>', []],
    ['nothing', '<A/>', []],
  ])('are found %s', (_title, xml, found) => {
    expect(items(readXml(xml), 'Fees', 'Fee').map((fee) => attribute(fee, 'n'))).toEqual(found);
  });

  it('are found quickly, however many containers there are', () => {
    const root = readXml(`<A>${'<Fees><Fee/></Fees>'.repeat(50_000)}</A>`);
    const begun = performance.now();
    expect(items(root, 'Fees', 'Fee')).toHaveLength(50_000);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

it('reads XML Schema booleans and ignores other words', () => {
  const root = readXml('<A a="true" b="0" c="maybe"/>');
  expect([flag(root, 'a'), flag(root, 'b'), flag(root, 'c'), flag(root, 'd')]).toEqual([
    true,
    false,
    undefined,
    undefined,
  ]);
});

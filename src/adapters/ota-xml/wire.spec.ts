import { describe, expect, it } from '@jest/globals';
import { MOST_LISTED } from '../../model/limits.js';
import { readXml } from '../xml/read-xml.js';
import { ANY_NUMBER, attribute, childrenNamed, flag, items } from './wire.js';

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
    expect(items(root, 'Fees', 'Fee', ANY_NUMBER)).toHaveLength(50_000);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it.each([
    ['in one container', (count: number) => `<Fees>${'<Fee/>'.repeat(count)}</Fees>`],
    ['a container each', (count: number) => '<Fees><Fee/></Fees>'.repeat(count)],
    ['in two containers', (count: number) => `<Fees><Fee/></Fees><Fees>${'<Fee/>'.repeat(count - 1)}</Fees>`],
    ['without a container', (count: number) => '<Fee/>'.repeat(count)],
  ])('are counted before they are read: %s', (_title, content) => {
    const found = (count: number) => items(readXml(`<A>${content(count)}</A>`), 'Fees', 'Fee');
    expect(found(MOST_LISTED)).toHaveLength(MOST_LISTED);
    expect(() => found(MOST_LISTED + 1)).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
  });
});

it('counts elements of one name only', () => {
  const root = readXml(`<A>${'<B/><C/>'.repeat(MOST_LISTED)}<C/></A>`);
  expect(childrenNamed(root, 'B')).toHaveLength(MOST_LISTED);
  expect(() => childrenNamed(root, 'C')).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
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

import { expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { page } from './page.js';
import { RenderedPages } from './rendered-pages.js';

claim('API4', 'A page that is the same for every visitor is rendered once, until what it shows changes.', () => {
  const pages = new RenderedPages();
  let renderings = 0;
  const render = (title: string) => () => {
    renderings += 1;
    return page({ title, visitor: undefined }, title);
  };
  const first = pages.get('one', render('One'));
  expect(pages.get('one', render('One'))).toBe(first);
  expect(String(first.body)).toBe(render('One')().body);
  expect(String(pages.get('two', render('Two')).body)).toContain('Two');
  expect(renderings).toBe(3);
  expect(String(pages.get('one', render('Other'), 'changed').body)).toContain('Other');
  pages.get('one', render('Other'), 'changed');
  expect(renderings).toBe(4);
});

it('a page that could not be rendered is tried again', () => {
  const pages = new RenderedPages();
  const fails = (): never => {
    throw new Error('not now');
  };
  expect(() => pages.get('one', fails)).toThrow('not now');
  expect(pages.get('one', () => page({ title: 'One', visitor: undefined }, '')).status).toBe(200);
});

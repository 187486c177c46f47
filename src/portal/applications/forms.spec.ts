import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { accessRequestForm, decisionForm, descriptionForm, redirectUrlForm, scenarioForm } from './forms.js';

/** The parsed values, or the first problem. */
function read(schema: z.ZodType, values: object): unknown {
  const parsed = schema.safeParse(values);
  return parsed.success ? parsed.data : parsed.error.issues[0]?.message;
}
const named = (name: string, description = '') => read(descriptionForm, { name, description });

describe('the name of an application', () => {
  it.each([
    ['  Fleet \t shop ', 'Fleet shop'],
    ['Æther & <b>', 'Æther & <b>'],
    ['x'.repeat(60), 'x'.repeat(60)],
  ])('%j is kept as %j', (typed, name) => {
    expect(named(typed)).toEqual({ name, description: '' });
  });

  it.each([
    ['', 'Enter a name for the application.'],
    [' \n ', 'Enter a name for the application.'],
    ['x'.repeat(61), 'Use at most 60 characters.'],
    ['Fleet\u202eshop', 'Remove invisible characters.'],
    ['Fleet\u0000shop', 'Remove invisible characters.'],
  ])('%j is rejected: %s', (typed, problem) => {
    expect(named(typed)).toBe(problem);
  });
});

describe('the description of an application', () => {
  it('keeps lines and tabs, with the line ends of Unix', () => {
    expect(named('Shop', ' one\r\ntwo\r\tthree\n')).toEqual({ name: 'Shop', description: 'one\ntwo\n\tthree' });
  });

  it.each([
    ['x'.repeat(1_001), 'Use at most 1000 characters.'],
    ['one\u0007two', 'Remove invisible characters.'],
  ])('is rejected', (typed, problem) => {
    expect(named('Shop', typed)).toBe(problem);
  });
});

describe('a redirect URL', () => {
  it.each([
    ['', null],
    ['https://shop.example.com/back', 'https://shop.example.com/back'],
  ])('%j is kept as %j', (typed, redirect_url) => {
    expect(read(redirectUrlForm, { redirect_url: typed })).toEqual({ redirect_url });
  });

  it('is rejected with the reason', () => {
    expect(read(redirectUrlForm, { redirect_url: 'https://shop.example.com/#top' })).toMatch(/fragment/);
  });
});

describe('a default scenario', () => {
  const form = scenarioForm(['alpine', 'bravo']);

  it.each([
    ['  ', null],
    ['alpine=timeout', 'alpine=timeout'],
  ])('%j is kept as %j', (scenario, kept) => {
    expect(read(form, { scenario })).toEqual({ scenario: kept });
  });

  it('is rejected in the words of the API', () => {
    expect(read(form, { scenario: 'charlie=timeout' })).toMatch(/charlie.*alpine, bravo/);
    expect(read(form, { scenario: 'alpine=sleep' })).toMatch(/sleep/);
  });
});

describe('a production access request', () => {
  it('needs a description', () => {
    expect(read(accessRequestForm, { message: ' \r\n ' })).toMatch(/^Describe your application/);
    expect(read(accessRequestForm, { message: 'A shop.\r\n' })).toEqual({ message: 'A shop.' });
  });

  it('is approved or refused, and nothing else', () => {
    const approval = { decision: 'approve', reason: '', copied: 'digest' };
    expect(read(decisionForm, approval)).toEqual({ ...approval, confirmed: '' });
    for (const decision of ['', 'Approve', 'delete']) {
      expect(read(decisionForm, { decision, reason: '' })).toBe('Choose Approve or Reject.');
    }
  });
});

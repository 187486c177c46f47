import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { claim } from '../../../test/support/claim.js';
import { readSubmitted } from './form.js';
import { PageError } from './page-error.js';

const schema = z.object({
  name: z
    .string('Enter a name.')
    .min(3, 'Use at least 3 characters.')
    .regex(/^[a-z]+$/, 'Use lowercase letters.'),
  password: z.string('Enter a password.').optional(),
  products: z.array(z.string()).optional(),
});
const submit = (body: unknown, lists: readonly string[] = []) =>
  readSubmitted({ body } as FastifyRequest, schema, lists);

describe('a submitted form', () => {
  it('returns its values, and the texts that refill its fields without passwords', () => {
    expect(submit('name=ada&password=three+quiet+herons')).toEqual({
      ok: true,
      values: { name: 'ada', password: 'three quiet herons' },
      typed: { name: 'ada' },
    });
  });

  claim('API4', 'A form with more than 100 fields is refused before its fields are read.', () => {
    const fields = (count: number) => `name=ada${'&'.repeat(count - 1)}`;
    expect(submit(fields(100)).ok).toBe(true);
    expect(() => submit(fields(101))).toThrow(PageError);
  });

  it.each(['password', 'new_password', 'name_password', 'client_secret'])('never shows %s again', (name) => {
    const { ok, typed } = submit(`name=A&${name}=hunter2`);
    expect([ok, typed]).toEqual([false, { name: 'A' }]);
  });

  it('has one problem per field, the first one', () => {
    expect(submit('name=A')).toMatchObject({ ok: false, problems: { name: 'Use at least 3 characters.' } });
    expect(submit('')).toMatchObject({ ok: false, problems: { name: 'Enter a name.' }, typed: {} });
  });

  it('takes several values only of the fields that are lists', () => {
    expect(submit('name=ada&products=a&products=b', ['products'])).toMatchObject({ values: { products: ['a', 'b'] } });
    expect(submit('name=ada', ['products'])).toMatchObject({ values: { products: [] } });
    expect(() => submit('name=ada&name=eve')).toThrow(PageError);
  });

  it.each([
    ['a field', 'name=ada&note=card+4111+1111+1111+1111', 'note'],
    ['a field that is rejected anyway', 'name=4111111111111111', 'name'],
    ['one of several values', 'name=ada&products=a&products=4111-1111-1111-1111', 'products'],
    ['a field of any name', 'name=ada&__proto__=x&other=%D9%A4111111111111111', 'other'],
  ])('is rejected for a card number in %s, which is not shown again', (_case, body, field) => {
    const { ok, typed, ...rest } = submit(body, ['products']);
    expect([ok, rest]).toMatchObject([
      false,
      { problems: { [field]: 'This looks like a payment card number. Remove it.' } },
    ]);
    expect(JSON.stringify(typed)).not.toContain('1111');
  });

  it('accepts a card number as a password, which is never stored as text', () => {
    expect(submit('name=ada&password=4111111111111111').ok).toBe(true);
  });

  it('is rejected unread if it has more text or fields than are searched', () => {
    expect(() => submit(`name=${'a'.repeat(200_000)}`)).toThrow(expect.objectContaining({ status: 400 }));
    const fields = Array.from({ length: 3_000 }, (_, index) => `f${index}=`);
    expect(() => submit(fields.join('&'))).toThrow(expect.objectContaining({ status: 400 }));
  });

  it.each([
    ['JSON', { name: 'ada' }],
    ['no body', undefined],
  ])('is a page with status 400 if the body is %s', (_case, body) => {
    expect(() => submit(body)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('takes fields named like members of objects for what they are', () => {
    expect(submit('name=ada&constructor=x&__proto__=y&toString=z')).toMatchObject({
      ok: true,
      values: { name: 'ada' },
    });
    expect(() => submit('name=ada&toString=x&toString=y')).toThrow(PageError);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Directive as SimulatedDirective } from '../simulators/world.js';
import { DIRECTIVE_FORMS, type Directive, formatDirective, parseDirective } from './directive.js';

const plain = DIRECTIVE_FORMS.filter((form) => !form.includes('('));

describe('parseDirective', () => {
  it.each(plain)('reads %s', (verb) => {
    expect(parseDirective(verb)).toEqual({ verb });
    expect(parseDirective(`  ${verb.toUpperCase()} `)).toEqual({ verb });
  });

  it.each([
    ['slow(0)', { verb: 'slow', ms: 0 }],
    ['slow(800)', { verb: 'slow', ms: 800 }],
    ['slow( 800ms )', { verb: 'slow', ms: 800 }],
    ['slow(60000)', { verb: 'slow', ms: 60_000 }],
    ['error(400)', { verb: 'error', status: 400 }],
    ['error(599)', { verb: 'error', status: 599 }],
    ['price(+10%)', { verb: 'price', percent: 10 }],
    ['price(10)', { verb: 'price', percent: 10 }],
    ['price(-5%)', { verb: 'price', percent: -5 }],
    ['price(−5%)', { verb: 'price', percent: -5 }],
    ['price(-0%)', { verb: 'price', percent: 0 }],
  ])('reads %s', (text, directive) => {
    expect(parseDirective(text)).toEqual(directive);
  });

  it.each([
    '',
    'okay',
    'ok()',
    'timeout(5)',
    'slow',
    'slow()',
    'slow(-1)',
    'slow(60001)',
    'slow(1.5)',
    'error',
    'error(399)',
    'error(600)',
    'error(5e2)',
    'price',
    'price(%)',
    'price(10%%)',
    'price(-91%)',
    'price(501%)',
    'price(1.5%)',
    'slow((5))',
    'ok; empty',
  ])('rejects %j', (text) => {
    expect(parseDirective(text)).toBeUndefined();
  });
});

describe('formatDirective', () => {
  const directives: readonly Directive[] = [
    ...plain.map((verb) => parseDirective(verb)).filter((directive) => directive !== undefined),
    { verb: 'slow', ms: 250 },
    { verb: 'error', status: 503 },
    { verb: 'price', percent: 10 },
    { verb: 'price', percent: -10 },
    { verb: 'price', percent: 0 },
  ];

  it.each(directives)('writes text that parseDirective reads: %j', (directive) => {
    expect(parseDirective(formatDirective(directive))).toEqual(directive);
  });

  it('accepts the type that the simulators define', () => {
    const same: SimulatedDirective = directives[0] ?? { verb: 'ok' };
    const back: Directive = same;
    expect(back).toBe(directives[0]);
  });
});

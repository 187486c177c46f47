import { describe, expect, it } from '@jest/globals';
import { callSpan, requestSpan, traceparentOf } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const CARD = '4111111111111111';

describe('requestSpan', () => {
  it.each([
    [`00-${TRACE}-${PARENT}-01`, true],
    [`00-${TRACE}-${PARENT}-00`, false],
    [`00-${TRACE}-${PARENT}-ff`, true],
    [`00-${TRACE}-${PARENT}-02`, false],
    // Later versions may append fields.
    [`cc-${TRACE}-${PARENT}-01`, true],
    [`cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, true],
  ])('continues the trace of %s', (traceparent, isSampled) => {
    const span = requestSpan(traceparent);
    expect(span).toEqual({
      traceId: TRACE,
      spanId: expect.stringMatching(/^[\da-f]{16}$/),
      parentId: PARENT,
      isSampled,
    });
    expect(span.spanId).not.toBe(PARENT);
  });

  it.each([
    ['nothing', undefined],
    ['an empty value', ''],
    ['spaces around it', ` 00-${TRACE}-${PARENT}-01`],
    ['uppercase digits', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['letters that are not digits', `00-${TRACE.replace('4', 'g')}-${PARENT}-01`],
    ['more than version 00 has', `00-${TRACE}-${PARENT}-01-more`],
    ['one character more', `00-${TRACE}-${PARENT}-011`],
    ['a later version with one character more', `01-${TRACE}-${PARENT}-01.`],
    ['a later version of 1 MB', `01-${TRACE}-${PARENT}-01-${'x'.repeat(1_000_000)}`],
    ['two values, as Node joins them', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ['a list', [`00-${TRACE}-${PARENT}-01`]],
    ['a line break', `00-${TRACE}-${PARENT}-01\n`],
    ['markup', '<script>alert(1)</script>'],
    ['a card number as parent id', `00-${TRACE}-${CARD}-01`],
    ['a card number in the trace id', `00-${CARD.padStart(32, '0')}-${PARENT}-01`],
  ])('begins a trace instead of using %s', (_, traceparent) => {
    const span = requestSpan(traceparent);
    expect(span).toEqual({
      traceId: expect.stringMatching(/^[\da-f]{32}$/),
      spanId: expect.stringMatching(/^[\da-f]{16}$/),
      parentId: undefined,
      isSampled: false,
    });
    expect(span.traceId).not.toBe(TRACE);
  });

  it('makes ids that differ', () => {
    const spans = Array.from({ length: 2_000 }, () => requestSpan(undefined));
    expect(new Set(spans.flatMap(({ traceId, spanId }) => [traceId, spanId])).size).toBe(4_000);
  });
});

it.each(['01', '00'])('a call has an id of its own in the trace, and the flag %s of the caller', (flags) => {
  const request = requestSpan(`00-${TRACE}-${PARENT}-${flags}`);
  const [one, other] = [callSpan(request, 'x.example:443'), callSpan(request, 'x.example:443')];
  expect(traceparentOf(one)).toBe(`00-${TRACE}-${one.spanId}-${flags}`);
  expect(new Set([request.spanId, one.spanId, other.spanId]).size).toBe(3);
});

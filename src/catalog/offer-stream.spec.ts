import { expect, it } from '@jest/globals';
import type { SearchedOffer } from '../representations/offer-view.js';
import type { CallOutcome } from '../suppliers/outcome.js';
import { OfferStream } from './offer-stream.js';

it('an offer that cannot be written fails the end of the stream, and nothing before it', async () => {
  const failure = new Error('cannot be written');
  const stream = new OfferStream({}, { write: () => Promise.reject(failure) }, () => undefined);
  const outcome = (supplier: string): CallOutcome<SearchedOffer> =>
    ({
      ...{ kind: 'results', supplier: { id: supplier, name: supplier }, brand: 'One', items: [], elapsedMs: 1 },
    }) as unknown as CallOutcome<SearchedOffer>;
  stream.add(outcome('a'));
  stream.add(outcome('b'));
  // A rejection that nothing handles in this turn fails the test, as it would end the process.
  await new Promise(setImmediate);
  await expect(stream.end([], [], Date.now())).rejects.toBe(failure);
});

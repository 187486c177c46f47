import type { Outcome } from '../../../auth/test-clocks.js';
import { utcMinute } from '../../shell/moment.js';
import { ClockBanner, type ClockFacts } from './clock-page.js';

/** A reservation whose times the clock can be moved to. Instants are epoch milliseconds. */
export interface Rental {
  readonly id: string;
  readonly applicationId: string;
  readonly state: string;
  /** Until when cancelling is free. Undefined = the supplier stated none. */
  readonly freeUntil: number | undefined;
  readonly pickupAt: number;
  readonly dropoffAt: number;
}

interface Jump {
  readonly words: string;
  /** Undefined = the clock isn't moved. */
  readonly to: number | undefined;
  readonly outcome: Outcome;
}

const MINUTE_MS = 60_000;

/** Buttons on the page of a reservation of a sandbox application that move its test clock; none after the return or a no-show. */
export function ClockButtons({ rental, facts }: { readonly rental: Rental; readonly facts: ClockFacts }) {
  const jumps = jumpsOf(rental, facts);
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">Test clock</h2>
      <ClockBanner id={rental.applicationId} facts={facts} />
      {jumps.length === 0 ? (
        <p class="quiet">
          Nothing more happens to it by the test clock of its application.{' '}
          <a href={`/applications/${rental.applicationId}/clock`}>Test clock</a>
        </p>
      ) : (
        <>
          <p>Move the time of its application. Every other reservation of the application moves with it.</p>
          {jumps.map(({ words, to, outcome }) => (
            <form key={words} method="post" action={`/applications/${rental.applicationId}/clock`}>
              <input type="hidden" name="back" value={rental.id} />
              <input type="hidden" name="outcome" value={outcome} />
              {to !== undefined && <input type="hidden" name="now" value={new Date(to).toISOString()} />}
              <p>
                <button class="second" type="submit">
                  {words}
                </button>{' '}
                {to !== undefined && <span class="quiet">{utcMinute(to)}</span>}
              </p>
            </form>
          ))}
        </>
      )}
    </section>
  );
}

function jumpsOf({ state, freeUntil, pickupAt, dropoffAt }: Rental, { now, clock }: ClockFacts): readonly Jump[] {
  const outcome = clock?.outcome ?? 'completed';
  const isAhead = ({ to }: Jump): boolean => to === undefined || to > now;
  const pickup = { words: 'Jump to the pickup', to: pickupAt, outcome: 'completed' } as const;
  if (state === 'on_request') return [{ ...pickup, outcome }].filter(isAhead);
  if (state !== 'confirmed') return [];
  const deadline = freeUntil === undefined ? undefined : freeUntil + MINUTE_MS;
  const noShow = { outcome: 'no_show', to: pickupAt > now ? pickupAt : undefined } as const;
  return [
    ...(deadline === undefined ? [] : [{ words: 'Jump past the free cancellation', to: deadline, outcome }]),
    pickup,
    { words: 'Jump to the dropoff: completed', to: dropoffAt, outcome: 'completed' } as const,
    { words: noShow.to === undefined ? 'Mark as a no-show' : 'Jump to the pickup: no-show', ...noShow },
  ].filter(isAhead);
}

import type { Visitor } from '../../../accounts/sessions.service.js';
import type { OwnApplication } from '../../../auth/own-applications.js';
import type { Outcome, TestClock } from '../../../auth/test-clocks.js';
import type { Answer } from '../../../http/answer.js';
import { Field, FormProblem, type FormState } from '../../shell/field.js';
import { Moment } from '../../shell/moment.js';
import { areaPage } from '../area-page.js';
import { Crumb } from '../crumb.js';

/** An application's time, in epoch milliseconds. `clock` is undefined while it uses real time. */
export interface ClockFacts {
  readonly now: number;
  readonly clock: TestClock | undefined;
}

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  completed: 'Completed at the dropoff',
  no_show: 'No-show at the pickup',
};
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The test clock of a sandbox application. `state` belongs to the form that was rejected, if any. */
export function clockPage(
  visitor: Visitor,
  application: OwnApplication,
  facts: ClockFacts,
  state: FormState = {},
  notice?: string,
): Answer {
  const { id, name } = application;
  const path = `/applications/${id}/clock`;
  const chosen = state.typed?.outcome ?? facts.clock?.outcome ?? 'completed';
  return areaPage(
    { title: `Test clock of ${name}`, visitor, notice, isRefused: state.problems !== undefined },
    <>
      <Crumb application={application} here="Test clock" />
      <h1>Test clock of {name}</h1>
      <p class="lead">
        Move the application’s time forward to see what happens later: bookings on request expire, cancellations cost a
        fee, rentals end, and deprecated versions are retired. Webhooks are sent as usual.{' '}
        <a href="/docs/sandbox#test-clock">What moves and what doesn’t</a>
      </p>
      <ClockBanner id={id} facts={facts} isOwnPage />
      <FormProblem state={state} />
      <form method="post" action={path} class="stack">
        <h2>Move the clock</h2>
        <Field
          state={state}
          name="now"
          label="New time (UTC)"
          type="datetime-local"
          value={new Date(facts.now + MINUTE_MS).toISOString().slice(0, 16)}
          isOptional
          hint="Only forward, and at most two years ahead of real time. Leave it empty to set only the outcome."
        />
        <fieldset>
          <legend>What becomes of confirmed reservations</legend>
          {state.problems?.outcome && <p class="problem">{state.problems.outcome}</p>}
          {Object.entries(OUTCOME_WORDS).map(([value, words]) => (
            <label key={value}>
              <input type="radio" name="outcome" value={value} checked={value === chosen} /> {words}
            </label>
          ))}
        </fieldset>
        <button type="submit">Move the clock</button>
      </form>
      {facts.clock && (
        <form method="post" action={`${path}/reset`} class="stack">
          <h2>Return to real time</h2>
          <p>What happened by the clock stays.</p>
          <button class="second" type="submit">
            Return to real time
          </button>
        </form>
      )}
      <p>
        The page of each reservation has buttons that move the clock to its deadline, pickup and dropoff.{' '}
        <a href={`/reservations?application=${id}`}>Reservations</a>
      </p>
    </>,
  );
}

/** Says that an application doesn't use real time; nothing while it does, except on the page of its clock. */
export function ClockBanner({
  id,
  facts: { now, clock },
  isOwnPage = false,
}: {
  readonly id: string;
  readonly facts: ClockFacts;
  readonly isOwnPage?: boolean;
}) {
  if (!clock)
    return isOwnPage ? (
      <p>
        The application uses real time: <Moment at={now} />.
      </p>
    ) : null;
  return (
    <p class="warning" id="test-clock">
      Test clock: <Moment at={now} />, {aheadText(clock.aheadMs)}. Confirmed reservations:{' '}
      {OUTCOME_WORDS[clock.outcome].toLowerCase()}.
      {!isOwnPage && (
        <>
          {' '}
          <a href={`/applications/${id}/clock`}>Move it or return to real time</a>
        </>
      )}
    </p>
  );
}

function aheadText(ms: number): string {
  if (ms < 60_000) return 'at real time';
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / 60_000)} minutes ahead of real time`;
  if (ms < 2 * DAY_MS) return `${Math.round(ms / HOUR_MS)} hours ahead of real time`;
  return `${Math.round(ms / DAY_MS)} days ahead of real time`;
}

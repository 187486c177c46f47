import type { ComponentChildren } from 'preact';
import { several } from '../ops/diagnosis-text.js';
import { Moment } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { count, share, statusWords } from '../usage/words.js';
import type { Reactions, SandboxBehavior } from './sandbox-behavior.js';

/** With fewer calls, the number of calls per token says nothing. */
const FEW_CALLS = 20;
/** A token is valid for longer than this many calls of an application that keeps it. */
const CALLS_PER_TOKEN = 5;

/** How an application used the sandbox, with what an operator should ask about marked. */
export function SandboxBehaviorSection({ behavior }: { behavior: SandboxBehavior }) {
  const { calls, tokens, searches, partial, limited, sampled, sampledSince, errors, bookings } = behavior;
  const { afterPartial, afterLimited, replays, mismatches } = behavior;
  return (
    <section aria-labelledby="behavior">
      <h2 id="behavior">In the sandbox</h2>
      <p class="quiet">
        Calls and tokens of the last 30 days.{' '}
        {sampledSince === undefined ? (
          'No request is kept.'
        ) : (
          <>
            What followed an answer, repeated keys and errors: the newest {count(sampled)} requests, since{' '}
            <Moment at={sampledSince} />.
          </>
        )}
      </p>
      <dl class="facts">
        <Fact name="Calls" ask={calls === 0 && 'It never called the API.'}>
          {count(calls)}
        </Fact>
        <Fact
          name="Token reuse"
          ask={
            calls >= FEW_CALLS && tokens > 0 && calls / tokens < CALLS_PER_TOKEN && 'It seems to get a token per call.'
          }
        >
          {tokens === 0
            ? 'no tokens'
            : `${(calls / tokens).toFixed(1)} calls per token (${several(calls, 'call', 'calls')}, ${several(tokens, 'token', 'tokens')})`}
        </Fact>
        <Fact
          name="Partial responses (206)"
          ask={searches > 0 && partial === 0 && 'It never got one: whether it handles them is unknown.'}
        >
          {share(partial, searches)} of {count(searches)} searches. {reactionText(afterPartial)}
        </Fact>
        <Fact
          name="Rate limited (429)"
          ask={afterLimited.withinSecond > 0 && 'It called again within a second, before Retry-After.'}
        >
          {count(limited)}. {reactionText(afterLimited)}
        </Fact>
        <Fact
          name="Idempotency keys"
          ask={
            (bookings.recentWithKey < bookings.recent && 'It books without a key.') ||
            (mismatches > 0 && 'It used a key for different bookings.')
          }
        >
          {count(bookings.recentWithKey)} of {count(bookings.recent)} bookings of the last 24 hours had one;{' '}
          {count(replays)} repeated with the same body, {count(mismatches)} with another one
        </Fact>
        <Fact name="Bookings" ask={bookings.active > 0 && 'It left bookings uncancelled.'}>
          {count(bookings.made)} in 30 days: {count(bookings.cancelled)} cancelled, {count(bookings.active)} still
          active
        </Fact>
      </dl>
      {errors.length > 0 && (
        <ScrollingTable label="Errors in the sandbox">
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Reason and cause</th>
              <th scope="col" class="number">
                Requests
              </th>
            </tr>
          </thead>
          <tbody>
            {errors.map(({ status, why, times }) => (
              <tr key={`${status} ${why}`}>
                <th scope="row">
                  {status} {statusWords(status).text}
                </th>
                <td>{why}</td>
                <td class="number">{count(times)}</td>
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
      )}
    </section>
  );
}

/** A fact, and what to ask the developer because of it; false = nothing. */
function Fact({ name, ask, children }: { name: string; ask: string | false; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {children}
        {ask && (
          <>
            {' '}
            <span class="badge partial">Ask</span> {ask}
          </>
        )}
      </dd>
    </>
  );
}

function reactionText({ answers, known, repeated, wentOn, other, nothing }: Reactions): string {
  if (answers === 0) return 'None among the newest requests.';
  const parts = [
    [repeated, 'the same operation again'],
    [wentOn, 'went on with an offer'],
    [other, 'another operation'],
    [nothing, 'nothing'],
  ] as const;
  const said = parts.filter(([times]) => times > 0).map(([times, what]) => `${count(times)} × ${what}`);
  return `Within the next minute, of ${count(known)}: ${said.join(', ') || 'not known yet'}.`;
}

import type { ComponentChildren } from 'preact';
import type { SupplierState } from '../../config/supplier-config.schema.js';
import type { ApplicationCalls } from '../../records/supplier-timeline.js';
import { utcMinute } from '../shell/moment.js';
import { count } from '../usage/words.js';
import { adviceOf, apart } from './advice.js';
import type { OwnHealth } from './diagnosis.js';
import { agreedText, capitalized, listed, ownText, percent, sinceText, whatText, whoWords } from './diagnosis-text.js';
import { operationWords } from './failure-words.js';
import { countedSinceOf, normalText, otherOperationsText } from './known-calls.js';
import { type AffectedApplication, affectedApplications, blocksBookings, type Problem } from './problems.js';
import type { SupplierFacts } from './supplier-facts.service.js';
import { CHOICES } from './switch-form.js';

/** Problems that a limit of our calls causes or prevents. */
const LIMITED = new Set(['throttled', 'own_limit']);

/** More are only counted. */
const MOST_NAMES = 5;

interface FindingsProps {
  readonly supplier: Pick<
    SupplierFacts,
    'name' | 'state' | 'problems' | 'changedAt' | 'known' | 'config' | 'perSecond'
  >;
  /** By the minute from which on they are counted. */
  readonly applications: ReadonlyMap<number, readonly ApplicationCalls[]>;
  readonly now: number;
  readonly own: OwnHealth;
  readonly others: readonly Pick<SupplierFacts, 'name' | 'problems'>[];
}

/** What is wrong with a supplier: whose fault it is, since when, which operations, for which applications, and what to press. */
export function Findings({ supplier, applications, now, own, others }: FindingsProps) {
  const { name, state, problems, known } = supplier;
  const { separate, related } = apart(problems);
  return (
    <section class="card findings" aria-label="Diagnosis">
      {problems.length === 0 && (
        <p>
          <span class="badge good">Normal</span> {normalText(name, known, now)}
        </p>
      )}
      {separate.map((problem) => (
        <div class="problem-answers" key={`${problem.kind} ${problem.who}`}>
          <h2>{capitalized(whatText(problem, name))}</h2>
          <dl class="facts">
            <Answer name="Whose fault">
              <Whose problem={problem} /> {whoseText(problem, supplier, others)}
            </Answer>
            <Answer name="Since">{capitalized(sinceText(problem.since, now).replace(/^since /, ''))}</Answer>
            <Answer name="Operations">
              {operationsText(problem)} {otherOperationsText(problem, problems, known)}
            </Answer>
            <Answer name="Applications">
              <Callers
                callers={affectedApplications(problem, applications.get(countedSinceOf(problem, now)) ?? [])}
                from={countedSinceOf(problem, now)}
              />
            </Answer>
            {LIMITED.has(problem.kind) && (
              <Answer name="Agreed limit">{agreedText(supplier.config, supplier.perSecond)}</Answer>
            )}
            <Answer name="What to press">
              <Press problem={problem} all={problems} state={state} />
            </Answer>
          </dl>
        </div>
      ))}
      {related.length > 0 && (
        <div class="problem-answers">
          <h3>Probably part of the same problem</h3>
          <ul>
            {related.map((problem) => (
              <li key={`${problem.kind} ${problem.who}`}>
                {capitalized(whatText(problem, name))} {sinceText(problem.since, now)}.
              </li>
            ))}
          </ul>
        </div>
      )}
      <p class="quiet">{ownText(own)}</p>
    </section>
  );
}

function Answer({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function whoseText(
  { who, reason, kind }: Problem,
  { name, changedAt }: FindingsProps['supplier'],
  others: FindingsProps['others'],
): string {
  if (reason === 'everywhere') return 'All suppliers fail alike at the same time, so it is our network.';
  if (reason === 'lag') return 'Our gateways are overloaded, which makes suppliers look slow.';
  if (reason === 'file')
    return `Our file of ${name} was changed at ${changedAt === undefined ? 'that time' : utcMinute(changedAt).slice(11)}, when this began.`;
  if (who === 'us') return 'Our gateway, not the supplier.';
  if (kind === 'auth')
    return `Our file of ${name} did not change when this began, so it probably revoked or changed our credentials. It is our fault if they expired or were replaced.`;
  const alike = others.filter(({ problems }) => problems.some((one) => one.kind === kind)).map((one) => one.name);
  return `${name}. ${alike.length === 0 ? 'Other suppliers do not have it.' : `But so does ${listed(alike)}: if both began together, look for what they share.`}`;
}

function operationsText(problem: Problem): string {
  const { parts, kind, isBlocked } = problem;
  const named = parts.map(({ operation, share }) =>
    kind === 'slow' || kind === 'price' || share === 1
      ? operationWords(operation)
      : `${operationWords(operation)} (${percent(share)})`,
  );
  const more = blocksBookings(problem) ? ' Bookings fail as well: each needs a price check.' : '';
  const blocked = isBlocked && kind !== 'circuit_open' ? ' Our breaker is open: some calls are not sent.' : '';
  return `${capitalized(listed(named))}.${more}${blocked}`;
}

function Callers({ callers, from }: { callers: readonly AffectedApplication[]; from: number }) {
  const affected = callers.filter((caller) => caller.affected > 0 && caller.id !== '');
  const others = callers.filter((caller) => caller.affected === 0 && caller.id !== '');
  const spared = others.filter(({ calls }) => calls > 0).map(({ name }) => name);
  const absent = others.filter(({ calls }) => calls === 0).map(({ name }) => name);
  return (
    <>
      {affected.length === 0 && 'None that is known.'}
      {affected.slice(0, MOST_NAMES).map(({ id, name, affected: failed, calls }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={`/ops/requests?application=${encodeURIComponent(id)}`}>{name}</a> ({count(failed)} of {count(calls)}{' '}
          calls since {utcMinute(from).slice(11)})
        </span>
      ))}
      {affected.length > MOST_NAMES && `, and ${affected.length - MOST_NAMES} more`}
      {others.length > 0 && (
        <span class="quiet">
          .{spared.length > 0 && ` Not affected: ${named(spared)}.`}
          {absent.length > 0 && ` Makes no such calls: ${named(absent)}.`}
        </span>
      )}
    </>
  );
}

/** The first names of a list, and how many more there are. */
function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return listed([...names.slice(0, MOST_NAMES), ...(more > 0 ? [`${more} more`] : [])]);
}

function Press({ problem, all, state }: { problem: Problem; all: readonly Problem[]; state: SupplierState }) {
  const { button, text, isNow } = adviceOf(problem, all);
  if (!button) return <>{text}</>;
  if (button === state) return <>Nothing more: the supplier is already in the state {CHOICES[button]}. Call it.</>;
  const link = (
    <a class={isNow ? 'button' : 'button second'} href={`#switch-${button}`}>
      {CHOICES[button]}…
    </a>
  );
  return isNow ? (
    <>
      {link} {text}
    </>
  ) : (
    <>
      {text} {link}
    </>
  );
}

/** Them or us, as a badge. */
export function Whose({ problem }: { problem: Pick<Problem, 'who' | 'kind'> }) {
  return <span class={`badge ${problem.who === 'them' ? 'bad' : 'partial'}`}>{whoWords(problem)}</span>;
}

import type { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Moment } from '../shell/moment.js';
import { count } from '../usage/words.js';
import { opsPage } from './ops-page.js';
import type { SupplierFacts, SwitchEffect } from './supplier-facts.service.js';
import { CHOICES, type switchForm } from './switch-form.js';

type Choice = keyof typeof CHOICES;

/** What each state means for callers. */
const MEANINGS: Readonly<Record<string, string>> = {
  live: 'Searches call it, and its offers can be booked.',
  canary:
    'That share of the searches calls it, and its offers can be booked. All other searches call it only to compare, as in shadow. Repeating a search of an application never changes its side.',
  shadow:
    'Searches call it after the answer was sent, only to compare. Callers do not see it, and nothing new can be booked.',
  drain: 'Searches no longer call it, and nothing new can be booked. Callers do not see it.',
  maintenance:
    'Searches no longer call it: they list it as skipped and stay complete (200). Price checks and new bookings get a 503 with Retry-After.',
  off: 'Searches no longer call it, and nothing new can be booked.',
};

/** Shows the effect of a switch and asks to confirm it. */
export function switchPreview(
  visitor: Visitor,
  supplier: SupplierFacts,
  { state, until, reason, percent }: z.output<typeof switchForm>,
  effect: SwitchEffect,
): Answer {
  const { id, name, config } = supplier;
  const next = state === 'configured' ? config.state : state;
  const path = `/ops/suppliers/${encodeURIComponent(id)}`;
  return opsPage(
    { title: `Switch ${name}`, visitor, area: '/ops/suppliers' },
    <>
      <p class="quiet crumb">
        <a href="/ops/suppliers">Suppliers</a> / <a href={path}>{name}</a>
      </p>
      <h1>
        {name}: {supplier.state} → {next}
        {state === 'canary' && ` ${percent} %`}
        {until && (
          <>
            {' '}
            until <Moment at={until} />
          </>
        )}
      </h1>
      <p class="lead">{MEANINGS[next]}</p>
      <ul class="bullets">
        <li>
          In the last hour, it answered {count(effect.answered)} searches and failed {count(effect.failed)};{' '}
          {effect.bookings === 1 ? '1 booking was' : `${count(effect.bookings)} bookings were`} made.
        </li>
        <li>
          {effect.openReservations === 1
            ? "1 reservation with it isn't final"
            : `${count(effect.openReservations)} reservations with it aren't final`}
          . Existing reservations are read, changed and cancelled in every state.
        </li>
        <li>
          {effect.others.length === 0
            ? 'No other supplier is live.'
            : `${effect.others.length === 1 ? '1 other supplier stays' : `${effect.others.length} other suppliers stay`} live: ${effect.others.join(', ')}.`}
        </li>
      </ul>
      {effect.others.length === 0 && next !== 'live' && (
        <p class="warning">Without another live supplier, searches fail for every caller.</p>
      )}
      <p>
        <strong>Reason:</strong> {reason}
      </p>
      <form method="post" action={`${path}/switch`}>
        <Hidden
          values={{
            state,
            reason,
            until: until?.toISOString().slice(0, 19) ?? '',
            percent: String(percent),
            confirmed: 'yes',
          }}
        />
        <p class="actions">
          <button type="submit">{buttonOf(state, name)}</button>
          <a href={path}>Cancel</a>
        </p>
      </form>
    </>,
  );
}

function Hidden({ values }: { values: Readonly<Record<string, string>> }) {
  return (
    <>
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

function buttonOf(choice: Choice, name: string): string {
  return choice === 'configured'
    ? `Return ${name} to the state of its file`
    : `Switch ${name} to ${CHOICES[choice].toLowerCase()}`;
}

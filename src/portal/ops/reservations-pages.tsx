import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import type { NamedRequest } from '../../records/all-requests.js';
import type { ListedFailure } from '../../records/failed-exchange-log.js';
import type { Reservation } from '../../reservations/reservation.js';
import { STATES } from '../../reservations/states.js';
import { CardTable } from '../shell/card-table.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { FilterForm } from '../shell/filters.js';
import { Moment, utc } from '../shell/moment.js';
import { count } from '../usage/words.js';
import { FailuresTable } from './failures-table.js';
import { opsPage } from './ops-page.js';
import { OtherCommands } from './other-commands.js';
import { RequestsTable } from './requests-pages.js';
import type { ListedReservation } from './reservation-list.service.js';

/** The filters as entered. */
export type ReservationsTyped = Partial<Record<'state' | 'supplier' | 'minutes' | 'text', string | undefined>>;

const MOST_REASON = 200;

/** Reservations of all accounts; without a filter, those that need attention. */
export function opsReservationsPage(
  visitor: Visitor,
  typed: ReservationsTyped,
  found: readonly ListedReservation[],
  { suppliers, now }: { readonly suppliers: readonly string[]; readonly now: number },
): Answer {
  return opsPage(
    { title: 'Reservations', visitor, area: '/ops/reservations' },
    <>
      <h1>Reservations</h1>
      <FilterForm
        action="/ops/reservations"
        typed={typed}
        filters={[
          { name: 'state', label: 'State', options: ['attention', 'second', 'late', 'late_in_review', ...STATES] },
          { name: 'supplier', label: 'Supplier', options: suppliers },
          { name: 'minutes', label: 'Unchanged for (min)' },
          { name: 'text', label: 'Id, number or reference' },
        ]}
      />
      {found.length === 0 ? (
        <p class="card">
          {typed.state === 'attention' ? 'No reservation needs attention.' : 'No reservations match these filters.'}
        </p>
      ) : (
        <List found={found} now={now} />
      )}
    </>,
  );
}

function List({ found, now }: { found: readonly ListedReservation[]; now: number }) {
  return (
    <CardTable
      label="Reservations"
      columns={[
        { name: 'Reservation' },
        { name: 'State' },
        { name: 'For', kind: 'number' },
        { name: 'Supplier' },
        { name: 'Number' },
        { name: 'Application' },
        { name: 'Why', kind: 'change' },
      ]}
      rows={found.map((row) => ({
        key: row.id,
        cells: [
          <a href={`/ops/reservations/${row.id}`}>
            <code>{row.id}</code>
          </a>,
          <>
            <StateBadge state={row.state} /> {row.hasSecond && <span class="badge bad">second booking</span>}
          </>,
          ageText(now - row.updatedAt),
          <a href={`/ops/suppliers/${encodeURIComponent(row.supplier)}`}>{row.supplier}</a>,
          row.confirmationNumber ?? '–',
          <a href={`/ops/applications/${row.applicationId}`}>{row.applicationName}</a>,
          row.reason,
        ],
      }))}
    />
  );
}

/** One reservation, without data of the renter: its state, history, related requests, and the form to resolve it. */
export function opsReservationPage(
  visitor: Visitor,
  found: Omit<Reservation, 'personal'>,
  { requests, failures }: { readonly requests: readonly NamedRequest[]; readonly failures: readonly ListedFailure[] },
  { notice, state = {} }: { readonly notice?: string | undefined; readonly state?: FormState },
): Answer {
  const { id, supplier, applicationId, confirmationNumber, createdAt, history, strays = [], rental } = found;
  const isOpen = found.state === 'manual_review' || found.state === 'confirmed';
  return opsPage(
    { title: `Reservation ${id}`, visitor, area: '/ops/reservations', notice, status: state.problems ? 400 : 200 },
    <>
      <p class="quiet crumb">
        <a href="/ops/reservations">Reservations</a> / <code>{id}</code>
      </p>
      <h1 class="verdict">
        <code>{id}</code> <StateBadge state={found.state} />
      </h1>
      <dl class="facts">
        <dt>Supplier</dt>
        <dd>
          <a href={`/ops/suppliers/${encodeURIComponent(supplier)}`}>{supplier}</a>, {rental.brand}
        </dd>
        <dt>Confirmation number</dt>
        <dd>{confirmationNumber ?? 'none'}</dd>
        <dt>Reference sent to the supplier</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <dt>Rental</dt>
        <dd>
          {rental.pickupDate} to {rental.dropoffDate} (local times)
        </dd>
        <dt>Application</dt>
        <dd>
          <a href={`/ops/applications/${applicationId}`}>
            <code>{applicationId}</code>
          </a>
        </dd>
        <dt>Booked</dt>
        <dd>
          <Moment at={createdAt} />
        </dd>
        {strays.length > 0 && (
          <>
            <dt>Second bookings</dt>
            <dd>
              {strays.map(({ number }) => number).join(', ')}.{' '}
              <a href={`/ops/commands/cancelReservation?reservation=${id}&second=yes`}>Cancel them…</a>
            </dd>
          </>
        )}
      </dl>
      {isOpen && <Resolve found={found} state={state} />}
      <h2>History</h2>
      <p class="quiet">
        <a href={`/ops/audit?subject=${encodeURIComponent(id)}`}>Changes by operators</a>
      </p>
      <ul class="events">
        {history.toReversed().map(({ from, to, at, actor, reason }, index) => (
          <li key={index}>
            {utc(at)} <strong>{actor}</strong>: {from === undefined ? '' : `${from} → `}
            {to}. {reason}
          </li>
        ))}
      </ul>
      <h2>Requests</h2>
      {requests.length === 0 ? (
        <p>
          No logged request created, read or changed it. The{' '}
          <a href={`/ops/requests?application=${applicationId}`}>requests of its application</a>.
        </p>
      ) : (
        <RequestsTable found={requests} />
      )}
      <h2>Failed exchanges</h2>
      <p class="quiet">Of these requests, and of the gateway's own checks; kept for 24 hours.</p>
      <FailuresTable failures={failures} hasSupplier={false} />
      <OtherCommands
        of={[
          ['Cancel the booking at the supplier', `cancelReservation?reservation=${id}`],
          ['Erase its personal data', `eraseReservation?reservation=${id}`],
        ]}
      />
    </>,
  );
}

function Resolve({
  found: { id, state: current, confirmationNumber, change },
  state,
}: {
  found: Omit<Reservation, 'personal'>;
  state: FormState;
}) {
  return (
    <form class="card" method="post" action={`/ops/reservations/${id}/resolve`}>
      <h2>Resolve</h2>
      <p class="quiet">
        {current === 'confirmed'
          ? 'Only if the supplier says that it cancelled the booking.'
          : 'Ask the supplier for a booking with the reference above, then record what it says.'}
      </p>
      <FormProblem state={state} />
      {current === 'manual_review' && (
        <Field
          state={state}
          name="number"
          label="Confirmation number"
          hint="If the booking exists."
          value={confirmationNumber ?? ''}
          isOptional
          maxLength={64}
        />
      )}
      <Field
        state={state}
        name="reason"
        label="Reason"
        hint="The caller sees it in the history."
        maxLength={MOST_REASON}
      />
      <Field
        state={state}
        name="evidence"
        label="Evidence"
        hint="Only for operators: the person at the supplier, and a ticket or email."
        maxLength={500}
      />
      <p class="actions">
        {current === 'manual_review' && (
          <>
            <button type="submit" name="to" value="confirmed">
              {change ? 'It is booked as before the change' : 'It is booked'}
            </button>
            {change && (
              <button class="second" type="submit" name="to" value="changed">
                The change was made
              </button>
            )}
            <button class="second" type="submit" name="to" value="failed">
              It was never booked
            </button>
          </>
        )}
        <button class="danger" type="submit" name="to" value="cancelled">
          It is cancelled
        </button>
      </p>
    </form>
  );
}

function StateBadge({ state }: { state: string }) {
  const tone = state === 'confirmed' ? 'good' : ['manual_review', 'failed'].includes(state) ? 'bad' : '';
  return <span class={`badge ${tone}`}>{state.replaceAll('_', ' ')}</span>;
}

function ageText(ageMs: number): string {
  const minutes = Math.max(0, Math.round(ageMs / 60_000));
  return minutes < 120
    ? `${count(minutes)} min`
    : minutes < 2_880
      ? `${count(minutes / 60)} h`
      : `${count(minutes / 1_440)} days`;
}

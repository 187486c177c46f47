import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { amountText } from '../../reservations/booked-reader.js';
import { STATES } from '../../reservations/states.js';
import { FilterForm, filteredPath } from '../shell/filters.js';
import { Moment, utc } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { applicationOptions } from '../usage/chosen-ids.js';
import { MOST_SEARCHED, type OwnReservation, type ReservationPage } from './own-reservations.js';
import { AGES, cursorText, type ReservationQuery } from './reservation-query.js';
import { StateBadge } from './state-words.js';

/** What the list of reservations shows. */
export interface ReservationsView {
  readonly visitor: Visitor;
  readonly own: readonly OwnApplication[];
  readonly query: ReservationQuery;
  readonly found: ReservationPage;
  readonly suppliers: readonly { readonly id: string; readonly name: string }[];
}

/** The reservations of the account's applications, newest first, without data of renters. */
export function reservationsPage(view: ReservationsView): Answer {
  const { visitor, query, found } = view;
  const { reservations, next, isCut } = found;
  const isFiltered = Object.values(query).some(Boolean);
  return page(
    { title: 'Reservations', visitor, section: '/reservations', isWide: true, styles: ['usage.css'] },
    <>
      <h1>Reservations</h1>
      <p class="quiet">
        What your applications booked, newest first. Renters’ data isn’t shown: read a reservation through the API for
        it.
      </p>
      <Filters view={view} />
      {reservations.length > 0 && <Reservations view={view} />}
      {reservations.length === 0 && !isCut && (
        <Nothing isFiltered={isFiltered} isProduction={visitor.environment === 'production'} />
      )}
      {isCut && next && (
        <p class="card">
          {MOST_SEARCHED.toLocaleString('en')} reservations were searched, back to {utc(next.at)}. Older ones may also
          match.
        </p>
      )}
      <p class="actions">
        {query.before && <a href={link({ ...query, before: undefined })}>Newest</a>}
        {next && (
          <a class="button second" href={link({ ...query, before: cursorText(next) })} rel="next">
            {isCut ? 'Search older reservations' : 'Older'}
          </a>
        )}
      </p>
    </>,
  );
}

function Filters({ view: { own, query, suppliers } }: { view: ReservationsView }) {
  return (
    <FilterForm
      action="/reservations"
      typed={query}
      filters={[
        { name: 'state', label: 'State', options: [['open', 'open: outcome to come'], ...STATES] },
        { name: 'supplier', label: 'Supplier', options: suppliers.map(({ id, name }) => [id, name]) },
        { name: 'application', label: 'Application', all: 'All', options: applicationOptions(own) },
        { name: 'reference', label: 'client_reference', placeholder: 'order-4711' },
        {
          ...{ name: 'age', label: 'Booked', all: 'At any time' },
          options: Object.entries(AGES).map(([value, { name }]) => [value, name]),
        },
      ]}
    />
  );
}

function Nothing({ isFiltered, isProduction }: { isFiltered: boolean; isProduction: boolean }) {
  if (isProduction && !isFiltered)
    return <p class="card">No reservations yet. Those of your applications appear here once they book.</p>;
  return isFiltered ? (
    <p class="card">
      No reservations match these filters. <a href="/reservations">Clear filters</a>
    </p>
  ) : (
    <p class="actions card">
      <span>No reservations yet.</span>
      <a class="button" href="/console?operation=createReservation">
        Book an offer in the console
      </a>
    </p>
  );
}

function Reservations({ view: { own, found, suppliers } }: { view: ReservationsView }) {
  const applicationOf = (id: string) => own.find((one) => one.id === id)?.name ?? id;
  const supplierOf = (id: string) => suppliers.find((one) => one.id === id)?.name ?? id;
  return (
    <ScrollingTable label="Reservations" class="log">
      <thead>
        <tr>
          {['Reservation', 'State', 'Supplier', 'Total', 'Pickup', 'client_reference', 'Application', 'Booked'].map(
            (head) => (
              <th key={head} scope="col" class={head === 'Total' ? 'number' : undefined}>
                {head}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {found.reservations.map((row) => (
          <Row
            key={row.id}
            row={row}
            application={applicationOf(row.applicationId)}
            supplier={supplierOf(row.supplier)}
          />
        ))}
      </tbody>
    </ScrollingTable>
  );
}

function Row({ row, application, supplier }: { row: OwnReservation; application: string; supplier: string }) {
  return (
    <tr>
      <th scope="row" class="id">
        <a href={`/reservations/${row.id}`}>
          <code>{row.id}</code>
        </a>
      </th>
      <td class="answer">
        <StateBadge state={row.state} />
      </td>
      <td class="what">
        {supplier} <span class="quiet">{row.brand}</span>
      </td>
      <td class="number">{amountText(row.totalMinor, row.currency)}</td>
      <td class="instant">{row.pickupDate.slice(0, 10)}</td>
      <td class="reference more">{row.clientReference ?? '–'}</td>
      <td class="whose">{application}</td>
      <td class="more">
        <Moment at={row.createdAt} />
      </td>
    </tr>
  );
}

function link(query: ReservationQuery): string {
  return filteredPath('/reservations', query);
}

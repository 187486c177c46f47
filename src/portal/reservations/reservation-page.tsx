import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import type { LogPage } from '../../records/request-log.js';
import { amountText } from '../../reservations/booked-reader.js';
import { ClockButtons } from '../applications/test-clock/clock-buttons.js';
import type { ClockFacts } from '../applications/test-clock/clock-page.js';
import { CopyButton } from '../shell/copy-button.js';
import { Moment, utc } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { Log } from '../usage/logs-page.js';
import type { ReservationDetails } from './own-reservations.js';
import { StateBadge, stateMeaning } from './state-words.js';

/** What the page of a reservation shows. */
export interface ReservationView {
  readonly visitor: Visitor;
  readonly own: readonly OwnApplication[];
  readonly found: ReservationDetails;
  /** Logged requests about it, newest first. */
  readonly log: LogPage;
  /** The name of its supplier. */
  readonly supplier: string;
  /** The clock of its application; undefined in production, which has no test clocks. */
  readonly clock: ClockFacts | undefined;
  readonly notice?: string | undefined;
}

/** One reservation without data of the renter: its state, history, requests and webhook events. */
export function reservationPage({ visitor, own, found, log, supplier, clock, notice }: ReservationView): Answer {
  const { id, state } = found;
  return page(
    { title: `Reservation ${id}`, visitor, notice, section: '/reservations', styles: ['usage.css'] },
    <>
      <p class="quiet crumb">
        <a href="/reservations">Reservations</a> / <code>{id}</code>
      </p>
      <h1 class="verdict">
        <StateBadge state={state} /> Reservation
      </h1>
      <p class="lead">{stateMeaning(state)}</p>
      <Facts own={own} found={found} supplier={supplier} />
      {clock && <ClockButtons rental={found} facts={clock} />}
      <History found={found} />
      <h2>Requests</h2>
      {log.requests.length === 0 ? (
        <p class="quiet">
          No request about it is in the log{log.isCut && ' among the newest that were searched'}.{' '}
          <a href="/docs/usage">Which requests are kept</a>
        </p>
      ) : (
        <>
          <Log own={own} found={log.requests} nameOf={(id) => (id === found.supplier ? supplier : id)} />
          {log.next && (
            <p>
              <a href={`/logs?reservation=${id}`}>All requests of this reservation</a>
            </p>
          )}
        </>
      )}
      <Events found={found} />
    </>,
  );
}

/** Where the renter pays, by the type of payment. */
const PAYMENTS: Readonly<Record<string, string>> = {
  counter: 'paid at the counter',
  card: 'by card',
  voucher: 'by voucher',
};

function Facts({
  own,
  found,
  supplier,
}: {
  own: readonly OwnApplication[];
  found: ReservationDetails;
  supplier: string;
}) {
  const { id, applicationId, confirmationNumber, clientReference, brand, vehicle, pickup, dropoff, payment } = found;
  return (
    <dl class="facts">
      <dt>Reservation id</dt>
      <dd>
        <code id="reservation-id">{id}</code> <CopyButton from="reservation-id" />
      </dd>
      <dt>Supplier</dt>
      <dd>
        {supplier}, {brand}
      </dd>
      <dt>Confirmation number</dt>
      <dd>{confirmationNumber === null ? 'none' : <code>{confirmationNumber}</code>}</dd>
      <dt>client_reference</dt>
      <dd class="reference">{clientReference ?? 'none'}</dd>
      <dt>Vehicle</dt>
      <dd>{vehicle ?? 'unknown'}</dd>
      <dt>Pickup</dt>
      <dd>
        {found.pickupDate.replace('T', ' ')} {pickup !== null && <span class="quiet">{pickup}</span>}
      </dd>
      <dt>Dropoff</dt>
      <dd>
        {found.dropoffDate.replace('T', ' ')} {dropoff !== null && <span class="quiet">{dropoff}</span>}
      </dd>
      <dt>Total</dt>
      <dd>
        {amountText(found.totalMinor, found.currency)} <span class="quiet">{PAYMENTS[payment] ?? payment}</span>
      </dd>
      <dt>Application</dt>
      <dd>
        <a href={`/applications/${applicationId}`}>
          {own.find((one) => one.id === applicationId)?.name ?? applicationId}
        </a>
      </dd>
      <dt>Booked</dt>
      <dd>
        <Moment at={found.createdAt} />, version {found.version}
      </dd>
    </dl>
  );
}

function History({ found: { history } }: { found: ReservationDetails }) {
  return (
    <>
      <h2>History</h2>
      <ScrollingTable label="History" class="log">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">By</th>
            <th scope="col">State</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {history.toReversed().map(({ from, to, at, actor, reason }, index) => (
            <tr key={index}>
              <td class="instant">{utc(at)}</td>
              <td class="whose">{actor}</td>
              <td class="id">
                {from !== null && from !== to && <span class="quiet">{from.replaceAll('_', ' ')} → </span>}
                <StateBadge state={to} />
              </td>
              <td class="id">{reason}</td>
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
    </>
  );
}

function Events({ found: { applicationId, events } }: { found: ReservationDetails }) {
  return (
    <>
      <h2>Webhook events</h2>
      {events.length === 0 ? (
        <p class="quiet">
          No event was recorded for an endpoint in the last 14 days.{' '}
          <a href={`/applications/${applicationId}/webhooks`}>Webhooks of the application</a>
        </p>
      ) : (
        <ScrollingTable label="Webhook events" class="log">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Event</th>
              <th scope="col">Endpoint</th>
              <th scope="col">Delivery</th>
            </tr>
          </thead>
          <tbody>
            {events.toReversed().map(({ eventId, type, endpointId, url, state, attempts, lastStatus, at }) => (
              <tr key={`${endpointId}${eventId}`}>
                <td class="instant">{utc(at)}</td>
                <td class="id">
                  {type}
                  <br />
                  <code>{eventId}</code>
                </td>
                <td class="id">
                  <a href={`/applications/${applicationId}/webhooks/${endpointId}`}>{url ?? endpointId}</a>
                </td>
                <td class="id">
                  {state}, {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
                  {lastStatus !== null && `, last status ${lastStatus}`}
                </td>
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
      )}
    </>
  );
}

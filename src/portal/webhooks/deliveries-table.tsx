import { renderToString } from 'preact-render-to-string';
import type { DeliveryRow } from '../../webhooks/delivery-log.js';
import { eventBody } from '../../webhooks/event-body.js';
import { utc } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';

interface Deliveries {
  /** Newest first. */
  readonly rows: readonly DeliveryRow[];
  /** Where the form that sends an event again goes to; undefined = the endpoint isn't active. */
  readonly replayPath: string | undefined;
}

/** The events of an endpoint with their attempts and payloads, which hold no data of a renter. */
export function DeliveriesTable({ rows, replayPath }: Deliveries) {
  if (rows.length === 0) return <p class="quiet">There are no events in the last 14 days.</p>;
  return (
    <ScrollingTable label="Events">
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">State</th>
          <th scope="col">Attempts</th>
          <th scope="col">Last attempt</th>
          <th scope="col">Payload</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Delivery key={row.eventId} row={row} replayPath={replayPath} />
        ))}
      </tbody>
    </ScrollingTable>
  );
}

/** The table as HTML, for the live view. */
export function deliveriesPart(deliveries: Deliveries): string {
  return renderToString(<DeliveriesTable {...deliveries} />);
}

function Delivery({ row, replayPath }: { row: DeliveryRow; replayPath: string | undefined }) {
  const { eventId, type, subject, at, state, attempts, lastAt, lastStatus, lastError, lastMs, nextAt } = row;
  return (
    <tr>
      <th scope="row">
        {type}
        <br />
        <span class="quiet">{utc(at)}</span>
        <br />
        <code>{eventId}</code>
        {subject.startsWith('res_') && (
          <>
            <br />
            <a href={`/reservations/${subject}`}>Reservation</a>
          </>
        )}
      </th>
      <td>
        {state}
        {state === 'pending' && attempts > 0 && <div class="quiet">next: {utc(nextAt)}</div>}
      </td>
      <td>{attempts}</td>
      <td>
        {lastAt === null ? (
          'none'
        ) : (
          <>
            {lastStatus ?? lastError} in {lastMs} ms
            <div class="quiet">{utc(lastAt)}</div>
          </>
        )}
      </td>
      <td>
        <details>
          <summary>Show</summary>
          <pre>{JSON.stringify(JSON.parse(eventBody(row)), null, 2)}</pre>
        </details>
      </td>
      <td>
        {replayPath !== undefined && (
          <form method="post" action={replayPath}>
            <input type="hidden" name="event" value={eventId} />
            <button class="second" type="submit">
              Send again
            </button>
          </form>
        )}
      </td>
    </tr>
  );
}

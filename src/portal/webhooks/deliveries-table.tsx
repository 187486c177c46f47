import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { DeliveryRow } from '../../webhooks/delivery-log.js';
import { eventOf } from '../../webhooks/event-body.js';
import { CardTable, type Column } from '../shell/card-table.js';
import { utc } from '../shell/moment.js';

interface Deliveries {
  /** Newest first. */
  readonly rows: readonly DeliveryRow[];
  /** Where the form that sends an event again goes to; undefined = the endpoint isn't active. */
  readonly replayPath: string | undefined;
}

const COLUMNS: readonly Column[] = [
  { name: 'Event' },
  { name: 'State' },
  { name: 'Last attempt' },
  { name: 'Payload' },
  { name: 'Action' },
];

/** The events of an endpoint with their attempts and payloads, which hold no data of a renter. */
export function DeliveriesTable({ rows, replayPath }: Deliveries) {
  if (rows.length === 0) return <p class="quiet">There are no events in the last 14 days.</p>;
  return (
    <CardTable
      label="Events"
      columns={replayPath === undefined ? COLUMNS.slice(0, -1) : COLUMNS}
      rows={rows.map((row) => ({ key: row.eventId, cells: cellsOf(row, replayPath) }))}
    />
  );
}

/** The table as HTML, for the live view. */
export function deliveriesPart(deliveries: Deliveries): string {
  return renderToString(<DeliveriesTable {...deliveries} />);
}

function cellsOf(row: DeliveryRow, replayPath: string | undefined): readonly ComponentChildren[] {
  const { eventId, type, subject, at, state, attempts, lastAt, lastStatus, lastError, lastMs, nextAt } = row;
  return [
    <>
      <strong>{type}</strong>
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
    </>,
    <>
      {state}
      {attempts > 0 && <div class="quiet">{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</div>}
      {state === 'pending' && attempts > 0 && <div class="quiet">next: {utc(nextAt)}</div>}
    </>,
    lastAt === null ? undefined : (
      <>
        {lastStatus ?? lastError} in {lastMs} ms
        <div class="quiet">{utc(lastAt)}</div>
      </>
    ),
    <details>
      <summary>Show</summary>
      <pre>{JSON.stringify(eventOf(row), null, 2)}</pre>
    </details>,
    ...(replayPath === undefined ? [] : [<SendAgain path={replayPath} eventId={eventId} />]),
  ];
}

function SendAgain({ path, eventId }: { path: string; eventId: string }) {
  return (
    <form method="post" action={path}>
      <input type="hidden" name="event" value={eventId} />
      <button class="second small" type="submit">
        Send again
      </button>
    </form>
  );
}

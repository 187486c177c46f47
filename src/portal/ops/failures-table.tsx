import type { ListedFailure } from '../../records/failed-exchange-log.js';
import { CardTable } from '../shell/card-table.js';
import { utc } from '../shell/moment.js';
import { ms } from '../usage/words.js';
import { operationWords, shortWords } from './failure-words.js';

/** Failed operations; the failure links to its exchange, the id to its request. */
export function FailuresTable({ failures, hasSupplier }: { failures: readonly ListedFailure[]; hasSupplier: boolean }) {
  if (failures.length === 0) return <p>No failed exchanges in the last 24 hours.</p>;
  return (
    <CardTable
      label="Failed exchanges"
      columns={[
        { name: 'Time', kind: 'instant' },
        ...(hasSupplier ? [{ name: 'Supplier' }] : []),
        { name: 'Operation' },
        { name: 'Failure', kind: 'change' },
        { name: 'After', kind: 'number' },
        { name: 'Request' },
      ]}
      rows={failures.map(({ id, at, supplier, operation, cause, why, durationMs, requestId }) => ({
        key: id,
        cells: [
          utc(at),
          ...(hasSupplier ? [<a href={`/ops/suppliers/${encodeURIComponent(supplier)}`}>{supplier}</a>] : []),
          operationWords(operation),
          <>
            <a href={`/ops/failures/${id}`}>{shortWords(cause)}</a> <span class="quiet">{why}</span>
          </>,
          ms(durationMs),
          <a href={`/ops/requests/${encodeURIComponent(requestId)}`}>
            <code>{requestId}</code>
          </a>,
        ],
      }))}
    />
  );
}

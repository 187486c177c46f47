import type { ListedFailure } from '../../records/failed-exchange-log.js';
import { utc } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { ms } from '../usage/words.js';
import { operationWords, shortWords } from './failure-words.js';

/** Failed operations; the failure links to its exchange, the id to its request. */
export function FailuresTable({ failures, hasSupplier }: { failures: readonly ListedFailure[]; hasSupplier: boolean }) {
  if (failures.length === 0) return <p>No failed exchanges in the last 24 hours.</p>;
  return (
    <ScrollingTable label="Failed exchanges" class="failures">
      <thead>
        <tr>
          <th scope="col">Time</th>
          {hasSupplier && <th scope="col">Supplier</th>}
          <th scope="col">Operation</th>
          <th scope="col">Failure</th>
          <th scope="col" class="number">
            After
          </th>
          <th scope="col">Request</th>
        </tr>
      </thead>
      <tbody>
        {failures.map(({ id, at, supplier, operation, cause, why, durationMs, requestId }) => (
          <tr key={id}>
            <td class="instant">{utc(at)}</td>
            {hasSupplier && (
              <td>
                <a href={`/ops/suppliers/${encodeURIComponent(supplier)}`}>{supplier}</a>
              </td>
            )}
            <td>{operationWords(operation)}</td>
            <td>
              <a href={`/ops/failures/${id}`}>{shortWords(cause)}</a> <span class="quiet">{why}</span>
            </td>
            <td class="number">{ms(durationMs)}</td>
            <td class="id">
              <a href={`/ops/requests/${encodeURIComponent(requestId)}`}>
                <code>{requestId}</code>
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

import type { Percentiles } from '../../records/request-log.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { ANSWER_KINDS, type AnswerKind, type Answers, type UsageView } from './usage-totals.js';
import { count, ms, operationName, share } from './words.js';

/** The status codes and meaning of each kind of response. */
export const KIND_NAMES: Readonly<Record<AnswerKind, readonly [name: string, meaning: string]>> = {
  complete: ['2xx', 'complete responses'],
  partial: ['206', 'partial responses'],
  refused: ['4xx', 'rejected or nothing found'],
  limited: ['429', 'rate limited'],
  failed: ['5xx', 'failed'],
};

/** Column headers for AnswerCells. */
export function AnswerHeads() {
  const heads = ['Calls', ...ANSWER_KINDS.map((kind) => KIND_NAMES[kind][0]), '206 share', 'Mean'];
  return (
    <>
      {heads.map((head) => (
        <th key={head} scope="col" class="number">
          {head}
        </th>
      ))}
    </>
  );
}

/** Calls by kind, 206 share and mean duration. The charts read the data attributes. */
export function AnswerCells({ row }: { row: Answers }) {
  return (
    <>
      <td class="number">{count(row.calls)}</td>
      {ANSWER_KINDS.map((kind) => (
        <td key={kind} class="number" data-column={kind} data-value={row[kind]}>
          {count(row[kind])}
        </td>
      ))}
      <td class="number" data-column="share" data-value={row.partialShare === undefined ? '' : row.partialShare * 100}>
        {percent(row.partialShare)}
      </td>
      <td class="number" data-column="mean" data-value={row.meanMs}>
        {ms(row.meanMs)}
      </td>
    </>
  );
}

/** The table of operations, with the latency percentiles of their logged requests. */
export function ByOperation({ view, percentiles }: { view: UsageView; percentiles: readonly Percentiles[] }) {
  const of = (operation: string) => percentiles.find((row) => row.operation === operation);
  return (
    <>
      <h2>By operation</h2>
      <ScrollingTable label="Calls by operation" class="numbers">
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <AnswerHeads />
            <th scope="col" class="number">
              Median
            </th>
            <th scope="col" class="number">
              95%
            </th>
            <th scope="col" class="number">
              99%
            </th>
            <th scope="col" class="number">
              Logged
            </th>
          </tr>
        </thead>
        <tbody>
          {view.operations.map((row) => {
            const kept = of(row.operation);
            return (
              <tr key={row.operation}>
                <th scope="row">
                  <a href={`/requests?operation=${row.operation}`}>{operationName(row.operation)}</a>
                </th>
                <AnswerCells row={row} />
                <td class="number">{kept ? ms(kept.p50) : '–'}</td>
                <td class="number">{kept ? ms(kept.p95) : '–'}</td>
                <td class="number">{kept ? ms(kept.p99) : '–'}</td>
                <td class="number">{kept ? count(kept.count) : '0'}</td>
              </tr>
            );
          })}
        </tbody>
      </ScrollingTable>
      <p class="quiet">
        Call counts and means cover all calls. The median, 95% and 99% values cover only the newest 5,000 logged
        requests, which favor failures and partial responses, so treat them as estimates.{' '}
        <a href="/docs/usage">What is recorded</a>
      </p>
    </>
  );
}

/** A fraction (0–1) in percent; a dash if undefined. */
export function percent(part: number | undefined): string {
  return part === undefined ? '–' : share(part, 1);
}

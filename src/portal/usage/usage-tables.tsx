import type { OperationDurations } from '../../records/usage-reader.js';
import { percentile } from '../ops/percentile.js';
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

const SHARES = [0.5, 0.95, 0.99] as const;

/** The table of operations, with percentiles of their durations. */
export function ByOperation({ view, durations }: { view: UsageView; durations: readonly OperationDurations[] }) {
  const of = (operation: string) => durations.find((row) => row.operation === operation)?.buckets ?? [];
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
          </tr>
        </thead>
        <tbody>
          {view.operations.map((row) => {
            const buckets = of(row.operation);
            return (
              <tr key={row.operation}>
                <th scope="row">
                  <a href={`/logs?operation=${row.operation}`}>{operationName(row.operation)}</a>
                </th>
                <AnswerCells row={row} />
                {SHARES.map((part) => {
                  const duration = percentile(buckets, part);
                  return (
                    <td class="number" key={part}>
                      {duration === undefined ? '–' : ms(duration)}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </ScrollingTable>
      <p class="quiet">
        All values cover all calls. The median, 95% and 99% values are computed from counts in fixed ranges of duration,
        so they are exact to the range. <a href="/docs/usage">What is recorded</a>
      </p>
    </>
  );
}

/** A fraction (0–1) in percent; a dash if undefined. */
export function percent(part: number | undefined): string {
  return part === undefined ? '–' : share(part, 1);
}

import type { OperationValues, OperatorOperation } from '../../system/operator-operations.js';
import { CardTable } from '../shell/card-table.js';
import { CopyButton } from '../shell/copy-button.js';
import { fieldName } from './command-form.js';

type Row = Readonly<Record<string, unknown>>;

/** Pages of what an id names, by how it begins. */
const PAGES: Readonly<Record<string, string>> = {
  app: '/ops/applications/',
  res: '/ops/reservations/',
  req: '/ops/requests/',
  acc: '/ops/applications?text=',
};

/** What an operation that only reads found: a list as a table with a link to its next page, anything else as its members. */
export function CommandResult({
  operation: { id, summary },
  values,
  found,
}: {
  operation: OperatorOperation;
  values: OperationValues;
  found: Row;
}) {
  const { items, next_cursor: next, ...members } = found;
  if (!Array.isArray(items)) return <Members of={members} />;
  const rows = items as readonly Row[];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <>
      {rows.length === 0 ? (
        <p class="card">Nothing found.</p>
      ) : (
        <CardTable
          label={summary}
          columns={names.map((name) => ({ name: fieldName(name) }))}
          rows={rows.map((row, index) => ({ key: index, cells: names.map((name) => <Cell value={row[name]} />) }))}
        />
      )}
      {typeof next === 'string' && (
        <p class="actions">
          <a class="button second" rel="next" href={`/ops/commands/${id}?${pageOf(values, next)}`}>
            Next page
          </a>
        </p>
      )}
    </>
  );
}

/** What a change printed: values and links with a button to copy them, and anything else as it is, closed. Nothing if it printed nothing. */
export function CommandOutput({ result }: { result: unknown }) {
  const lines = Array.isArray(result) && result.every((line) => typeof line === 'string') ? result : undefined;
  if (result === null || lines?.length === 0) return null;
  if (typeof result === 'object' && !Array.isArray(result))
    return <Copied of={Object.entries(result).map(([name, value]) => [fieldName(name), value])} />;
  if (lines?.length === 1 && /^https?:\/\/\S+$/.test(lines[0] ?? '')) return <Copied of={[['Link', lines[0]]]} />;
  return (
    <details>
      <summary>Output of the command</summary>
      <pre class="result">{lines?.join('\n') ?? JSON.stringify(result, null, 2)}</pre>
    </details>
  );
}

function Copied({ of: members }: { of: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <dl class="facts">
      {members.map(([name, value], at) => (
        <>
          <dt>{name}</dt>
          <dd>
            {typeof value === 'string' && value !== '' ? (
              <>
                <code id={`output-${at}`}>{value}</code> <CopyButton from={`output-${at}`} />
              </>
            ) : (
              <Cell value={value} />
            )}
          </dd>
        </>
      ))}
    </dl>
  );
}

function Members({ of: members }: { of: Row }) {
  return (
    <dl class="facts">
      {Object.entries(members).map(([name, value]) => (
        <>
          <dt>{fieldName(name)}</dt>
          <dd>
            <Cell value={value} />
          </dd>
        </>
      ))}
    </dl>
  );
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === '') return <>–</>;
  if (typeof value === 'object') return <pre class="result">{JSON.stringify(value, null, 2)}</pre>;
  const page = PAGES[/^([a-z]{3})_\w+$/.exec(String(value))?.[1] ?? ''];
  if (page === undefined) return <>{typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)}</>;
  return (
    <a href={`${page}${encodeURIComponent(String(value))}`}>
      <code>{String(value)}</code>
    </a>
  );
}

function pageOf(values: OperationValues, cursor: string): URLSearchParams {
  const given = Object.entries(values).filter(([, text]) => text !== '');
  return new URLSearchParams([...given.filter(([name]) => name !== 'cursor'), ['cursor', cursor], ['run', 'yes']]);
}

import type { ApiField, ApiOperation } from '../console/api-operations.js';
import { CopyButton } from '../shell/copy-button.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { curlOf } from './example-request.js';

/** Facts about an operation that are not in the OpenAPI document. */
export interface OperationFacts {
  readonly operation: ApiOperation;
  /** Its limits, in one sentence. */
  readonly limits: string;
  /** Callable versions, newest first, such as "v1.1 (live)"; may be empty. */
  readonly versions: readonly string[];
}

/** Every operation with its purpose, fields, responses, limits, versions and an example. */
export function OperationsReference({ facts }: { facts: readonly OperationFacts[] }) {
  return (
    <>
      <h1>Operations</h1>
      <p>
        Machine-readable:{' '}
        <a href="/openapi.json" download="forecourt-openapi.json">
          openapi.json
        </a>{' '}
        (OpenAPI 3.1), <a href="/postman.json">a Postman collection</a>. The examples use the variables of{' '}
        <a href="/docs/getting-started">Getting started</a>.
      </p>
      <ul>
        {facts.map(({ operation: { id, method, summary } }) => (
          <li key={id}>
            <a href={`#${id.toLowerCase()}`}>
              <span class="method">{method}</span> {summary}
            </a>
          </li>
        ))}
      </ul>
      {facts.map((fact) => (
        <Operation key={fact.operation.id} facts={fact} />
      ))}
    </>
  );
}

function Operation({ facts: { operation, limits, versions } }: { facts: OperationFacts }) {
  const { id, method, path, aliases, summary, description, fields, answers, bodyType } = operation;
  const anchor = id.toLowerCase();
  return (
    <section aria-labelledby={anchor}>
      <h2 id={anchor}>{summary}</h2>
      <p>
        <code>
          {method} {path}
        </code>{' '}
        <a href={`/console?operation=${id}`}>Try it in the console</a>
      </p>
      {description && <p>{description}</p>}
      <dl class="facts">
        {aliases.length > 0 && (
          <>
            <dt>Other paths</dt>
            <dd>
              {aliases.map((alias) => (
                <div key={alias}>
                  <code>{alias}</code>
                </div>
              ))}
            </dd>
          </>
        )}
        {versions.length > 0 && (
          <>
            <dt>Versions</dt>
            <dd>
              {versions.join(', ')} (<a href="/docs/versions">about versions</a>)
            </dd>
          </>
        )}
        <dt>Limits</dt>
        <dd>
          {limits} <a href="/docs/limits">Limits</a>
        </dd>
        {bodyType !== undefined && (
          <>
            <dt>Body</dt>
            <dd>
              <code>{bodyType}</code>
            </dd>
          </>
        )}
      </dl>
      {fields.length > 0 && <Fields fields={fields} of={summary} />}
      <ScrollingTable label={`Responses: ${summary}`}>
        <thead>
          <tr>
            <th scope="col">Response</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {answers.map(({ status, meaning }) => (
            <tr key={status}>
              <td>{status}</td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
      <pre tabindex={0}>
        <code id={`${id}-example`}>{curlOf(operation)}</code>
      </pre>
      <p>
        <CopyButton from={`${id}-example`} />
      </p>
    </section>
  );
}

function Fields({ fields, of }: { fields: readonly ApiField[]; of: string }) {
  return (
    <ScrollingTable label={`Fields: ${of}`}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">In</th>
          <th scope="col">Type</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ place, name, isRequired, kind, choices, description, default: fallback }) => (
          <tr key={`${place} ${name}`}>
            <td>
              <code>{name}</code>
              {isRequired && <strong> required</strong>}
            </td>
            <td>{place}</td>
            <td>{choices.length > 0 ? choices.join(' | ') : kind}</td>
            <td>
              {description}
              {fallback !== undefined && ` Default: ${fallback}.`}
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

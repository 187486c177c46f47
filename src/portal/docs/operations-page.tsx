import type { ApiOperation } from '../console/api-operations.js';
import { docsPath, operationSlug } from './docs-page.js';

/** Facts about an operation that are not in the OpenAPI document. */
export interface OperationFacts {
  readonly operation: ApiOperation;
  /** Its limits, in one sentence. */
  readonly limits: string;
  /** Callable versions, newest first, such as "v1.1 (live)"; may be empty. */
  readonly versions: readonly string[];
}

/** Every operation with a link to its page, by what they are about. */
export function OperationsIndex({ operations }: { operations: readonly ApiOperation[] }) {
  return (
    <>
      <h1>API reference</h1>
      <p>
        Every operation has a page with its fields, its responses, and a request to run. Machine-readable:{' '}
        <a href="/openapi.json" download="forecourt-openapi.json">
          openapi.json
        </a>{' '}
        (OpenAPI 3.1), <a href="/postman.json">a Postman collection</a>. The code takes ids and secrets from environment
        variables; <a href="/docs/getting-started">Getting started</a> sets <code>TOKEN</code>.
      </p>
      {[...new Set(operations.map(({ tag }) => tag))].map((tag) => (
        <section key={tag}>
          <h2 id={tag.toLowerCase()}>{tag}</h2>
          <ul class="operations">
            {operations
              .filter((operation) => operation.tag === tag)
              .map(({ id, method, path, summary }) => (
                <li key={id} id={id.toLowerCase()}>
                  <a href={docsPath(operationSlug(id))}>{summary}</a>{' '}
                  <code>
                    <span class="method">{method}</span> {path}
                  </code>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

import type { Json } from '../../http/operation.decorator.js';
import { takenOf } from '../../system/openapi-examples.js';
import { codeOf } from '../assets/request-code.js';
import type { ApiOperation } from '../console/api-operations.js';
import { CodeBlock, CodeTabs } from '../shell/code-tabs.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { docsPath, operationSlug } from './docs-page.js';
import { codeRequest } from './example-request.js';
import { FieldTree, type Shown } from './field-tree.js';
import { WithReasons } from './linked-text.js';
import type { OperationFacts } from './operations-page.js';
import type { SchemaFields } from './schema-fields.js';

interface OperationPageProps {
  readonly facts: OperationFacts;
  readonly schemas: SchemaFields;
  /** The origin of this gateway, for the code. */
  readonly origin: string;
}

/** One operation: what it takes and returns in words on the left, a request and what a gateway answered beside it. */
export function OperationPage({ facts, schemas, origin }: OperationPageProps) {
  const { operation } = facts;
  const shown: Shown = { here: new Set(), elsewhere: schemas.ownPages };
  return (
    <div class="reference">
      <div>
        <h1>{operation.summary}</h1>
        <p>
          <code>
            <span class="method">{operation.method}</span> {operation.path}
          </code>
        </p>
        {operation.description && <p>{operation.description}</p>}
        <p>
          <a class="button second" href={`/console?operation=${operation.id}`}>
            Try it in the console
          </a>
        </p>
        <Facts facts={facts} />
        <RequestFields operation={operation} schemas={schemas} shown={shown} />
        <h2 id="response">Response</h2>
        <ResponseFields operation={operation} schemas={schemas} shown={shown} />
        <StatusCodes operation={operation} />
      </div>
      <div class="examples">
        <h2 id="example">Example</h2>
        <CodeTabs id="example-code" code={codeOf(codeRequest(operation), origin)} />
        <Answers operation={operation} />
      </div>
    </div>
  );
}

function Facts({ facts: { operation, limits, versions } }: { facts: OperationFacts }) {
  const { aliases, bodyType } = operation;
  return (
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
        {limits} <a href="/docs/limits">About limits</a>
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
  );
}

interface FieldsProps {
  readonly operation: ApiOperation;
  readonly schemas: SchemaFields;
  readonly shown: Shown;
}

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const;

function RequestFields({ operation: { parameters, bodySchema }, schemas, shown }: FieldsProps) {
  const groups = PLACES.map(([place, title]) => ({
    title,
    fields: parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, description, schema }) =>
        schemas.fieldOf(name, { ...schema, ...(description === undefined ? {} : { description }) } as Json, required),
      ),
  }));
  const body = { title: 'Body', fields: bodySchema ? schemas.membersOf(bodySchema) : [] };
  const [path, query, header] = groups;
  const present = [path, query, body, header].filter((group) => group !== undefined && group.fields.length > 0);
  if (present.length === 0) return null;
  return (
    <>
      <h2 id="request">Request</h2>
      {present.map((group) => (
        <section key={group?.title} aria-label={group?.title}>
          <h3>{group?.title}</h3>
          <FieldTree fields={group?.fields ?? []} shown={shown} />
        </section>
      ))}
    </>
  );
}

function ResponseFields({ operation, schemas, shown }: FieldsProps) {
  const success = operation.answers.find(({ status, schema }) => status.startsWith('2') && schema);
  const fields = success?.schema ? schemas.membersOf(success.schema) : [];
  if (fields.length === 0) return <p>{success ? 'Not a JSON object: see the example.' : 'Without a body.'}</p>;
  return <FieldTree fields={fields} shown={shown} />;
}

function StatusCodes({ operation: { answers, summary } }: { operation: ApiOperation }) {
  return (
    <>
      <h2 id="status-codes">Status codes</h2>
      <ScrollingTable label={`Status codes: ${summary}`}>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {answers.map(({ status, meaning }) => (
            <tr key={status}>
              <td>{status}</td>
              <td>
                <WithReasons text={meaning} />
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
      <p>
        <a href="/docs/errors">All errors</a>, each with its cause and a way to provoke it.
      </p>
    </>
  );
}

/** What a gateway answered: the first success here, the others on a page of their own. */
function Answers({ operation: { id, answers } }: { operation: ApiOperation }) {
  const [first, ...others] = answersTaken(id);
  return (
    <>
      {first ? (
        <>
          <h3>Response {first.status}</h3>
          <Answer answer={first} />
        </>
      ) : (
        <p>
          Response <strong>{answers[0]?.status}</strong>{' '}
          {answers[0]?.schema ? 'with this description as JSON.' : 'without a body.'}
        </p>
      )}
      {others.length > 0 && (
        <p>
          More responses:{' '}
          {others.map(({ status }) => (
            <>
              <a key={status} href={`${docsPath(operationSlug(id))}/responses#status-${status}`}>
                {status}
              </a>{' '}
            </>
          ))}
        </p>
      )}
    </>
  );
}

/** Every response that was recorded for an operation. */
export function ResponsesPage({ operation: { id, summary, answers } }: { operation: ApiOperation }) {
  return (
    <>
      <h1>{summary}: responses</h1>
      <p>
        What a gateway of the sandbox answered to <a href={docsPath(operationSlug(id))}>{summary}</a>.
      </p>
      {answersTaken(id).map((answer) => (
        <section key={answer.status}>
          <h2 id={`status-${answer.status}`}>{answer.status}</h2>
          <p>
            <WithReasons text={answers.find(({ status }) => status === answer.status)?.meaning ?? ''} />
          </p>
          <Answer answer={answer} />
        </section>
      ))}
    </>
  );
}

interface TakenAnswer {
  readonly status: string;
  readonly text: string;
}

function Answer({ answer: { status, text } }: { answer: TakenAnswer }) {
  return <CodeBlock id={`response-${status}`} label={`Response ${status}`} code={text} />;
}

function answersTaken(operationId: string): readonly TakenAnswer[] {
  return Object.entries(takenOf(operationId))
    .filter(([kind]) => /^\d/.test(kind))
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([status, body]) => ({ status, text: typeof body === 'string' ? body : JSON.stringify(body, null, 2) }));
}

/** An object that several operations return. */
export function ObjectPage({ name, schemas }: { name: string; schemas: SchemaFields }) {
  const elsewhere = new Set([...schemas.ownPages].filter((other) => other !== name));
  return (
    <>
      <h1>{name}</h1>
      <p>
        An object in responses of the <a href="/docs/operations">operations</a>.
      </p>
      <FieldTree fields={schemas.object(name)} shown={{ here: new Set([name]), elsewhere }} />
    </>
  );
}

import type { ApiField, ApiOperation } from './api-operations.js';
import { exampleOf } from './examples.js';

interface OperationFormProps {
  readonly operation: ApiOperation;
  /** Only the one that is chosen is shown. */
  readonly isShown: boolean;
  /** Values of path, query and header fields by name, as a link gave them. */
  readonly given: ReadonlyMap<string, string>;
  /** Of the application that is chosen; undefined = nobody may send. */
  readonly clientId: string | undefined;
}

/** One operation: what it does, its fields, the button that sends it. console.js reads the request out of the data attributes. */
export function OperationForm({ operation, isShown, given, clientId }: OperationFormProps) {
  const { id, method, path, summary, description, fields, bodyType } = operation;
  const example = exampleOf(operation);
  const isMain = ({ name, isRequired, place }: ApiField) => isRequired || name in example || (place !== 'body' && given.has(name));
  const input = (field: ApiField) => (
    <Input
      key={field.name}
      operation={operation}
      field={field}
      value={prefilled(operation, field, given, clientId) ?? example[field.name]}
    />
  );
  const main = fields.filter(isMain);
  const others = fields.filter((field) => !isMain(field) && field.name !== 'X-Sandbox-Scenario');
  return (
    <section id={id} class="operation" aria-labelledby={`${id}-title`} hidden={!isShown}>
      <h2 id={`${id}-title`}>{summary}</h2>
      <p>
        <code>
          {method} {path}
        </code>{' '}
        <a href={`/docs/operations#${id.toLowerCase()}`}>Reference</a>
      </p>
      {description && <p>{description}</p>}
      <form
        novalidate
        data-operation={id}
        data-method={method}
        data-path={path}
        data-body-type={bodyType}
        data-needs-token={operation.isPublic ? undefined : 'yes'}
        data-takes-scenario={fields.some(({ name }) => name === 'X-Sandbox-Scenario') ? 'yes' : undefined}
      >
        <div class="fields">{main.map(input)}</div>
        {others.length > 0 && (
          <details>
            <summary>{others.length === 1 ? '1 more field' : `${others.length} more fields`}</summary>
            <div class="fields">{others.map(input)}</div>
          </details>
        )}
        <p class="actions">
          {clientId === undefined ? (
            <a class="button" href={`/login?next=${encodeURIComponent(`/console?operation=${id}`)}`}>
              Log in to send it
            </a>
          ) : (
            <button type="submit" disabled>
              Send
            </button>
          )}
          {clientId !== undefined && id === 'createReservation' && (
            <button type="button" class="second" data-find-offer disabled>
              Find an offer first
            </button>
          )}
        </p>
      </form>
    </section>
  );
}

/** What stands in a field at first; undefined = its example. Nothing of a body comes from a link: links are kept in logs. */
function prefilled(
  { bodyType }: ApiOperation,
  { place, name, isRequired }: ApiField,
  given: ReadonlyMap<string, string>,
  clientId: string | undefined,
): string | undefined {
  if (place !== 'body' && given.has(name)) return given.get(name);
  const isCredential = name === 'client_id' && (isRequired || bodyType === 'application/x-www-form-urlencoded');
  return isCredential ? clientId : undefined;
}

function Input({ operation, field, value = '' }: { operation: ApiOperation; field: ApiField; value?: string | undefined }) {
  const { place, name, isRequired, kind, choices, description } = field;
  const id = `${operation.id}-${place}-${name}`;
  const hint = hintOf(field);
  const shared = {
    id,
    name,
    'data-place': place,
    'data-kind': kind,
    'aria-required': isRequired,
    'aria-describedby': hint ? `${id}-hint` : undefined,
  };
  const only = choices.length === 1 && isRequired ? choices[0] : value;
  return (
    <div class="field">
      <label for={id}>
        {name}
        {isRequired && <span class="quiet"> (required)</span>}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {choices.length > 0 ? (
        <select {...shared} value={only}>
          <option value="">not sent</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea {...shared} rows={2} spellcheck={false} value={value} />
      ) : (
        <input
          {...shared}
          // preact types each kind of input by itself; this one takes the same attributes.
          type={(name === 'client_secret' ? 'password' : 'text') as 'text'}
          inputMode={kind === 'number' ? 'decimal' : undefined}
          autocomplete="off"
          spellcheck={false}
          list={isPlace(name) && description ? 'places' : undefined}
          value={value}
        />
      )}
    </div>
  );
}

const KINDS: Partial<Record<ApiField['kind'], string>> = { list: 'Separate several by commas.', json: 'As JSON.' };

function hintOf({ description, default: fallback, kind }: ApiField): string {
  return [description, fallback !== undefined && `Default: ${fallback}.`, KINDS[kind]].filter(Boolean).join(' ');
}

function isPlace(name: string): boolean {
  return name === 'keyword' || name === 'pickup_location';
}

import { docsPath, operationSlug } from '../docs/docs-page.js';
import type { ApiField, ApiOperation } from './api-operations.js';
import { exampleOf, variantsOf } from './examples.js';

interface OperationFormProps {
  readonly operation: ApiOperation;
  /** Its position among the operations: short ids, because the page has hundreds of fields. */
  readonly index: number;
  /** Only the chosen operation is shown. */
  readonly isShown: boolean;
  /** Values of path, query and header fields by name, from the page's query. */
  readonly given: ReadonlyMap<string, string>;
  /** Values of fields by name, including the body. */
  readonly recipe: ReadonlyMap<string, string>;
  /** The chosen application's client id; undefined if requests can't be sent. */
  readonly clientId: string | undefined;
  /** Its id, kept in links to other examples. */
  readonly application: string | undefined;
  /** The id of its product, if it has one. */
  readonly product: string | undefined;
  /** The next step for a visitor who can't send yet, if there is one. */
  readonly missing: { readonly path: string; readonly label: string } | undefined;
}

/** The form of an operation. console.js builds the request from its data attributes. */
export function OperationForm(props: OperationFormProps) {
  const { operation, index, isShown, given, recipe, clientId, application, product, missing } = props;
  const { id, method, path, summary, description, fields, bodyType } = operation;
  const example = exampleOf(operation);
  const givenTo = ({ name, place }: ApiField) => recipe.get(name) ?? (place === 'body' ? undefined : given.get(name));
  const isMain = (field: ApiField) => field.isRequired || field.name in example || givenTo(field) !== undefined;
  const input = (field: ApiField) => (
    <Input
      key={field.name}
      id={`f${index}-${fields.indexOf(field)}`}
      field={field}
      value={givenTo(field) ?? (isCredential(operation, field) ? clientId : example[field.name])}
    />
  );
  const main = fields.filter(isMain);
  const preparation = preparationOf(fields);
  const others = fields.filter((field) => !isMain(field) && field.name !== 'X-Sandbox-Scenario' && !isShared(field));
  return (
    <section id={id} class="operation" aria-labelledby={`${id}-title`} hidden={!isShown}>
      <h2 id={`${id}-title`}>{summary}</h2>
      <form
        autocomplete="off"
        data-operation={id}
        data-method={method}
        data-path={path}
        data-body-type={bodyType}
        data-product={product}
        data-needs-token={operation.isPublic ? undefined : 'yes'}
        data-takes-scenario={fields.some(({ name }) => name === 'X-Sandbox-Scenario') ? 'yes' : undefined}
      >
        <p class="actions">
          <code>
            {method} {path}
          </code>
          {missing && (
            <a class="button" href={missing.path}>
              {missing.label}
            </a>
          )}
          {clientId !== undefined && (
            <button type="submit" disabled>
              Send
            </button>
          )}
          {clientId !== undefined && preparation && (
            <button type="button" class="second" data-prepare={preparation} disabled>
              {PREPARATIONS[preparation]}
            </button>
          )}
        </p>
        <p>
          {description} <a href={docsPath(operationSlug(id))}>Reference</a>
        </p>
        <Variants operation={operation} application={application} />
        {preparation === 'offer' && <p class="notice" data-offer hidden />}
        <div class="fields">{main.map(input)}</div>
        {others.length > 0 && (
          <details>
            <summary>{others.length === 1 ? '1 more field' : `${others.length} more fields`}</summary>
            <div class="fields">{others.map(input)}</div>
          </details>
        )}
      </form>
    </section>
  );
}

/** Optional headers of every operation with a token, which the page has once. */
const SHARED = ['client_id', 'X-Request-Id'];

function isShared({ place, name, isRequired }: ApiField): boolean {
  return place === 'header' && !isRequired && SHARED.includes(name);
}

/** The optional headers that operations share, once for all of them. */
export function SharedHeaders({ operations }: { operations: readonly ApiOperation[] }) {
  const fields = SHARED.map((name) =>
    operations.flatMap(({ fields: all }) => all).find((field) => field.name === name && isShared(field)),
  );
  return (
    <details>
      <summary>Headers of every request</summary>
      <div class="fields" data-shared-headers>
        {fields.map((field) => field && <Input key={field.name} id={`shared-${field.name}`} field={field} />)}
      </div>
    </details>
  );
}

/** Links to further examples of an operation, if it has any. */
function Variants({ operation, application }: Pick<OperationFormProps, 'operation' | 'application'>) {
  const variants = variantsOf(operation);
  if (variants.length === 0) return null;
  const pathOf = (values: Readonly<Record<string, string>>) =>
    `/console?${new URLSearchParams({ ...(application && { application }), operation: operation.id, ...values })}`;
  return (
    <p>
      Examples: <a href={pathOf({})}>Plain</a>
      {variants.map(({ label, values }) => (
        <>
          {' · '}
          <a key={label} href={pathOf(values)}>
            {label}
          </a>
        </>
      ))}
    </p>
  );
}

/** Prerequisites of operations, and the label of the button with which console.js creates them. */
export const PREPARATIONS = { offer: 'Get an offer first', reservation: 'Create a reservation first' } as const;

/** The prerequisite of these fields, if any. */
export function preparationOf(fields: readonly ApiField[]): keyof typeof PREPARATIONS | undefined {
  if (fields.some(({ name }) => name === 'reservation_id')) return 'reservation';
  return fields.some(({ name }) => name === 'offer_id') ? 'offer' : undefined;
}

/** Whether a field is a client id that is required or accompanies a secret. Elsewhere it is only an optional check. */
function isCredential({ bodyType }: ApiOperation, { name, isRequired }: ApiField): boolean {
  return name === 'client_id' && (isRequired || bodyType === 'application/x-www-form-urlencoded');
}

function Input({ id, field, value = '' }: { id: string; field: ApiField; value?: string | undefined }) {
  const { place, name, isRequired, kind, choices } = field;
  const hint = hintOf(field);
  const shared = {
    id,
    name,
    // The page has more than a hundred fields of bodies: those without a place.
    'data-place': place === 'body' ? undefined : place,
    'data-kind': kind === 'text' ? undefined : kind,
    required: isRequired || undefined,
    'aria-describedby': hint ? `${id}-h` : undefined,
  };
  const only = choices.length === 1 && isRequired ? choices[0] : value;
  return (
    <div class="field">
      <label for={id}>
        {name}
        {isRequired && <span class="quiet"> (required)</span>}
      </label>
      {hint && <p id={`${id}-h`}>{hint}</p>}
      {choices.length > 0 ? (
        <select {...shared} value={only}>
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea {...shared} rows={2} value={value} />
      ) : (
        <input
          {...shared}
          // preact has one type per kind of input; these take the same attributes.
          type={(name === 'client_secret' ? 'password' : undefined) as 'text'}
          inputMode={kind === 'number' ? 'decimal' : undefined}
          value={value || undefined}
        />
      )}
    </div>
  );
}

const KINDS: Partial<Record<ApiField['kind'], string>> = { list: 'Separate values with commas.', json: 'Enter JSON.' };

function hintOf({ description, default: fallback, kind }: ApiField): string {
  return [description, fallback !== undefined && `Default: ${fallback}.`, KINDS[kind]].filter(Boolean).join(' ');
}

import { docsPath, objectSlug } from './docs-page.js';
import { WithCode } from './linked-text.js';
import type { SchemaField } from './schema-fields.js';

/** What a page has shown, and what other pages show. */
export interface Shown {
  /** Named schemas of this page, each with an anchor at its first appearance. Grows while rendering. */
  readonly here: Set<string>;
  /** Named schemas with a page of their own. */
  readonly elsewhere: ReadonlySet<string>;
}

/** Fields with their types and meanings. Objects can be opened; a named one is written once and linked from then on. */
export function FieldTree({ fields, shown }: { fields: readonly SchemaField[]; shown: Shown }) {
  return (
    <ul class="tree">
      {fields.map((field) => (
        <Field key={field.name} field={field} shown={shown} />
      ))}
    </ul>
  );
}

function Field({ field, shown }: { field: SchemaField; shown: Shown }) {
  const { members, schema } = field;
  const link = members.length === 0 || schema === undefined ? undefined : linkOf(schema, shown);
  if (members.length === 0 || link !== undefined)
    return (
      <li>
        <Line field={field} />
        {link && (
          <>
            {' '}
            <a href={link}>Fields of {schema}</a>
          </>
        )}
      </li>
    );
  if (schema !== undefined) shown.here.add(schema);
  return (
    <li id={schema === undefined ? undefined : `object-${schema}`}>
      <details>
        <summary>
          <Line field={field} />
        </summary>
        <FieldTree fields={members} shown={shown} />
      </details>
    </li>
  );
}

/** Where a named schema is shown already; undefined: here, now. */
function linkOf(schema: string, { here, elsewhere }: Shown): string | undefined {
  if (elsewhere.has(schema)) return docsPath(objectSlug(schema));
  return here.has(schema) ? `#object-${schema}` : undefined;
}

/** What a field means is on a line of its own. Choices that this names aren't listed again. */
function Line({ field: { name, type, isRequired, description, choices, bounds } }: { field: SchemaField }) {
  const isListed = choices.some((choice) => !description?.includes(choice));
  return (
    <>
      <code>{name}</code> <i>{[type, ...bounds].join(', ')}</i>
      {isRequired && <b> required</b>}
      {description && (
        <>
          <br />
          <WithCode text={description} />
        </>
      )}
      {isListed && <small> {choices.join(' | ')}</small>}
    </>
  );
}

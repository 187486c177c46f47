import type { Json } from '../../http/operation.decorator.js';

/** A field of a request or response, as the documentation shows it. */
export interface SchemaField {
  readonly name: string;
  /** Such as `string`, `array of Money` or `integer or null`. */
  readonly type: string;
  readonly isRequired: boolean;
  /** May be empty. */
  readonly description: string;
  /** Every value that is possible; empty for most. */
  readonly choices: readonly string[];
  /** Such as `1 to 200` or `default 25`; may be empty. */
  readonly bounds: readonly string[];
  /** The named schema of the field or of its items. */
  readonly schema?: string | undefined;
  /** Fields of an object, or of the objects in a list. */
  readonly members: readonly SchemaField[];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

/** Fields that an object may have, with those inside, to be shown within others. */
const MOST_INSIDE = 30;

/** Reads the fields of schemas of one OpenAPI document. Recursive schemas end at their second appearance. */
export class SchemaFields {
  readonly #schemas: Readonly<Record<string, Schema>>;

  /** Names of the schemas with so many fields that they have a page of their own, in the order of the document. */
  readonly ownPages: ReadonlySet<string>;

  constructor(document: Json) {
    // openApiDocument generates this shape.
    this.#schemas = (document.components as { schemas: Record<string, Schema> }).schemas;
    const names = Object.keys(this.#schemas).filter((name) => !name.endsWith('Answer'));
    this.ownPages = new Set(names.filter((name) => countOf(this.object(name)) > MOST_INSIDE));
  }

  /** The members of a named schema; empty for an unknown name. */
  object(name: string): readonly SchemaField[] {
    return this.membersOf({ $ref: `#/components/schemas/${name}` });
  }

  /** The members of an object, of the items of a list, or of every alternative. Empty for anything else. */
  membersOf(schema: Json, outer: readonly string[] = []): readonly SchemaField[] {
    const { name, resolved } = this.#resolve(schema as Schema);
    if (name !== undefined && outer.includes(name)) return [];
    const inside = name === undefined ? outer : [...outer, name];
    const { properties, items, anyOf, oneOf, allOf, required = [], additionalProperties } = resolved;
    if (properties)
      return Object.entries(properties).map(([key, one]) =>
        this.fieldOf(key, one as Json, required.includes(key), inside),
      );
    const inner = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (inner) return this.membersOf(inner as Json, inside);
    const fields = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])].flatMap((one) =>
      this.membersOf(one as Json, inside),
    );
    return fields.filter((field, at) => fields.findIndex(({ name: other }) => other === field.name) === at);
  }

  /** A field with everything in it. `outer`: names of the schemas around it. */
  fieldOf(name: string, schema: Json, isRequired: boolean, outer: readonly string[] = []): SchemaField {
    const given = schema as Schema;
    const { resolved } = this.#resolve(given);
    const values = resolved.enum ?? resolved.items?.enum ?? (resolved.const === undefined ? [] : [resolved.const]);
    return {
      name,
      type: this.#typeOf(given),
      isRequired,
      description: given.description ?? resolved.description ?? '',
      choices: values.map(String),
      bounds: boundsOf(resolved),
      schema: this.#schemaNameOf(given),
      members: this.membersOf(schema, outer),
    };
  }

  #resolve(schema: Schema): { readonly name?: string | undefined; readonly resolved: Schema } {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? { resolved: schema } : { name, resolved: this.#schemas[name] ?? {} };
  }

  /** The named schema of a field, of its items, or of its only alternative that is not null. */
  #schemaNameOf(schema: Schema): string | undefined {
    const { name, resolved } = this.#resolve(schema);
    if (name !== undefined) return name;
    const others = (resolved.anyOf ?? []).filter(({ type }) => type !== 'null');
    const [inner] = resolved.items ? [resolved.items] : others.length === 1 ? others : [];
    return inner && this.#schemaNameOf(inner);
  }

  #typeOf(schema: Schema): string {
    const { name, resolved } = this.#resolve(schema);
    if (resolved.items) return `array of ${this.#typeOf(resolved.items)}`;
    const alternatives = resolved.anyOf ?? resolved.oneOf;
    if (alternatives) return [...new Set(alternatives.map((one) => this.#typeOf(one)))].join(' or ');
    if (name !== undefined && resolved.properties) return name;
    if (resolved.properties || resolved.additionalProperties) return 'object';
    return resolved.format === undefined ? (resolved.type ?? 'string') : `${resolved.type} (${resolved.format})`;
  }
}

function countOf(fields: readonly SchemaField[]): number {
  return fields.reduce((count, { members }) => count + 1 + countOf(members), 0);
}

function boundsOf({ minimum, maximum, default: fallback }: Schema): readonly string[] {
  const isLimit = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const range = isLimit(minimum) && isLimit(maximum) ? [`${minimum} to ${maximum}`] : [];
  const one = isLimit(minimum) ? [`at least ${minimum}`] : isLimit(maximum) ? [`at most ${maximum}`] : [];
  return [...(range.length > 0 ? range : one), ...(fallback === undefined ? [] : [`default ${String(fallback)}`])];
}

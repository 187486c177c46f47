import { createHash } from 'node:crypto';
import threads from 'node:worker_threads';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface ResponseDoc {
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, ResponseDoc>> }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** What is checked of an answer. */
export interface CheckedAnswer {
  readonly method: string;
  /** Path with or without query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** Modules of Node.js are the same for all files of a jest worker; this one is loaded by each. */
const KEPT = Symbol.for('forecourt.openapi-checks');
const kept = threads as { [KEPT]?: Map<string, OpenApiCheck> };
/** Most gateways have the same description; these are the descriptions of one worker that are used again. */
const MOST_KEPT = 8;

/** Checks answers against the server's own description: status, content type and every field. */
export class OpenApiCheck {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(private readonly document: OpenApiDocument) {
    const addFormats = formats as unknown as (ajv: Ajv2020) => void;
    addFormats(this.#ajv);
    this.#ajv.addSchema({ $id: 'forecourt', components: document.components });
  }

  /**
   * Reads /openapi.json of a running gateway. The schemas of a document are compiled once per jest worker, which takes half
   * a second of processor time.
   */
  static async of(baseUrl: string): Promise<OpenApiCheck> {
    const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
    const digest = createHash('sha256').update(text).digest('base64');
    kept[KEPT] ??= new Map();
    const checks = kept[KEPT];
    const check = checks.get(digest) ?? new OpenApiCheck(JSON.parse(text) as OpenApiDocument);
    // The one that was used last is the last.
    checks.delete(digest);
    checks.set(digest, check);
    for (const oldest of [...checks.keys()].slice(0, -MOST_KEPT)) checks.delete(oldest);
    return check;
  }

  /**
   * Throws if the answer isn't described. For a path or method that the document doesn't contain, only an error body is
   * allowed.
   */
  check(answer: CheckedAnswer): void {
    const { method, status, text } = answer;
    if (method === 'HEAD' || (method === 'OPTIONS' && status === 204)) return;
    const path = (answer.path.split('?', 1)[0] ?? '').replace(/(.)\/$/, '$1');
    const operation = (this.document.paths[path] ?? this.#templated(path))?.[method.toLowerCase()];
    const where = `${method} ${path} → ${status}`;
    if (!operation) {
      this.#validate(where, { $ref: 'forecourt#/components/schemas/ErrorBody' }, text);
      return;
    }
    const response = operation.responses[String(status)];
    if (!response) throw new Error(`${where}: the status is not in /openapi.json. ${text.slice(0, 300)}`);
    if (!response.content) {
      if (text !== '') throw new Error(`${where}: /openapi.json says that there is no body`);
      return;
    }
    const type = (answer.contentType ?? '').split(';', 1)[0] ?? '';
    const content = response.content[type];
    if (!content) throw new Error(`${where}: the content type ${type} is not in /openapi.json`);
    if (type === 'application/json') this.#validate(where, rebased(content.schema), text);
  }

  /** The operations of a path with a variable part. */
  #templated(path: string): OpenApiDocument['paths'][string] | undefined {
    const template = Object.keys(this.document.paths).find(
      (known) => known.includes('{') && new RegExp(`^${known.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    return template === undefined ? undefined : this.document.paths[template];
  }

  #validate(where: string, schema: unknown, text: string): void {
    const key = JSON.stringify(schema);
    const validate = this.#validators.get(key) ?? this.#ajv.compile(schema as object);
    this.#validators.set(key, validate);
    if (validate(JSON.parse(text))) return;
    throw new Error(
      `${where} does not fit /openapi.json: ${this.#ajv.errorsText(validate.errors)}\n${text.slice(0, 1_000)}`,
    );
  }
}

/** References of the document point into itself; here the components are registered under the id `forecourt`. */
function rebased(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"forecourt#/')) as unknown;
}

/** A value that code reads from an environment variable, such as a secret. */
export class Variable {
  constructor(name: string);
  readonly name: string;
}

/** A text, in which variables may be parts. */
export type CodeText = string | Variable | readonly (string | Variable)[];

/** A request that can be written as code. */
export interface CodeRequest {
  /** The id of the operation. */
  readonly id: string;
  readonly method: string;
  /** With `{name}` for the values in `path`. */
  readonly template: string;
  readonly path: Readonly<Record<string, string | Variable>>;
  /** Lists are written with commas. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: readonly { readonly name: string; readonly value: CodeText }[];
  /** A JSON value with variables as strings; undefined = none. */
  readonly json?: Readonly<Record<string, unknown>> | undefined;
  /** The fields of a form; undefined = none. */
  readonly form?: readonly { readonly name: string; readonly value: CodeText }[] | undefined;
}

/** The languages, in the order of their tabs. */
export const LANGUAGES: readonly { readonly id: string; readonly label: string }[];

/** The code of a request to the gateway at `origin`, by the id of its language. */
export function codeOf(request: CodeRequest, origin: string): Readonly<Record<string, string>>;

/** The path and query of a request, after `origin` if there is one: parts of a text. */
export function addressOf(
  request: Pick<CodeRequest, 'template' | 'path' | 'query'>,
  origin?: string,
): readonly (string | Variable)[];

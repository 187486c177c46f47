import type { SessionActor } from '../database/audit-origin.js';

/** Injection token of OperatorOperations. */
export const OPERATOR_OPERATIONS = Symbol('OperatorOperations');

/** One value that an operation takes. */
export interface OperationField {
  readonly name: string;
  /** A `list` has one value per line; a `flag` is the text `yes` or absent. */
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'choice';
  /** The allowed values of a choice; otherwise suggestions, in no case all. */
  readonly values: readonly string[];
  readonly isRequired: boolean;
  /** What a form begins with; '' = nothing. */
  readonly initial: string;
  /** What it means; '' = its name says it. */
  readonly hint: string;
}

/** Something that operators can read or change, as the admin API and a command of `gw` do. */
export interface OperatorOperation {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** The words of the command after `gw`; '' = there is none. */
  readonly command: string;
  /** The call of the admin API that does the same, such as `POST /admin/v1/switches`. */
  readonly call: string;
  readonly isChange: boolean;
  readonly fields: readonly OperationField[];
}

/** The operator who sent a form, and from where. */
export interface OperatorCaller {
  readonly person: SessionActor;
  readonly name: string;
  readonly address: string;
  readonly requestId: string;
}

/** Values of fields by name, as text; '' = absent. */
export type OperationValues = Readonly<Record<string, string>>;

/** What operators can do with `gw`, for pages. The admin API and its commands are behind it, so that checks and the audit log are the same. */
export interface OperatorOperations {
  /** In the order of the admin API's description. */
  all(): readonly OperatorOperation[];
  /** Validates a change and returns what it would do, in sentences; [] = the values say it. Changes nothing. Throws ApiError. */
  preview(id: string, values: OperationValues, caller: OperatorCaller): Promise<readonly string[]>;
  /**
   * Reads or changes. Returns the members of the admin API's answer. Throws ApiError for what is refused, and for a change what changeBy throws
   * for a person.
   */
  run(id: string, values: OperationValues, caller: OperatorCaller): Promise<Readonly<Record<string, unknown>>>;
}

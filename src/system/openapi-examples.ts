import type { Json } from '../http/operation.decorator.js';
import answers from './openapi-examples.json' with { type: 'json' };

/** By operation id: bodies of answers by status, `request` with the body that was sent, and `lines` of a stream. */
const TAKEN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = answers;

const nameOf = (operationId: string, kind: string): string =>
  `${operationId}${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;

/**
 * `components.examples`: what a gateway of the sandbox answered (scripts/write-examples.mjs). A test takes the answers again
 * and compares.
 */
export const EXAMPLES: Json = Object.fromEntries(
  Object.entries(TAKEN).flatMap(([id, kinds]) =>
    Object.entries(kinds).map(([kind, value]) => [nameOf(id, kind), { value }]),
  ),
);

/** The `examples` of an answer by its status, of the body that is sent (`request`) or a stream (`lines`). Empty if none was taken. */
export function exampleOf(operationId: string, kind: string): Json {
  if (TAKEN[operationId]?.[kind] === undefined) return {};
  return { examples: { sandbox: { $ref: `#/components/examples/${nameOf(operationId, kind)}` } } };
}

/** What a gateway of the sandbox answered, by status, and `request` with the body that was sent. Empty if nothing was taken. */
export function takenOf(operationId: string): Readonly<Record<string, unknown>> {
  return TAKEN[operationId] ?? {};
}

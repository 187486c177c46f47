import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** Status → its meaning, the schema of the body (null = no body) and its media type (default JSON). */
export type DescribedAnswers = Readonly<
  Record<number, readonly [meaning: string, schema: z.ZodType | null, contentType?: string]>
>;

/** What the OpenAPI document says about an operation beyond its method, its paths and whether it needs a token. */
export interface OperationDoc {
  /** operationId: unique, and permanent because usage records are kept under it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Media type of the body; default JSON. */
  readonly bodyType?: string;
  readonly headers?: readonly Json[];
  /** A 200 may also be application/x-ndjson, when Accept asks for it. */
  readonly streams?: boolean;
  readonly answers: DescribedAnswers;
}

/** Metadata key read by system/api-operations.ts. */
export const OPERATION = 'forecourt:operation';

/** Describes a handler of the public API in the OpenAPI document. Every handler of an API controller needs it. */
export const Operation = (doc: OperationDoc) => SetMetadata(OPERATION, doc);

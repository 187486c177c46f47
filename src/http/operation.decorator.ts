import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** Status → its meaning, the schema of the body (null = no body) and its media type (default JSON). */
export type DescribedAnswers = Readonly<
  Record<number, readonly [meaning: string, schema: z.ZodType | null, contentType?: string]>
>;

/** The description of an operation in the OpenAPI document, without its method, paths and authentication. */
export interface OperationDoc {
  /** operationId; unique and permanent, because usage records refer to it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Media type of the body; default JSON. */
  readonly bodyType?: string;
  readonly headers?: readonly Json[];
  /** Whether a 200 is application/x-ndjson if the Accept header asks for it. */
  readonly streams?: boolean;
  /** Whether a 200 is a page (text/html) if the Accept header asks for it. */
  readonly hasPage?: boolean;
  readonly answers: DescribedAnswers;
  /** Production has neither the operation nor its description. */
  readonly isSandboxOnly?: boolean;
}

/** Metadata key read by system/api-operations.ts. */
export const OPERATION = 'forecourt:operation';

/** Describes a handler in the OpenAPI document. Required for every handler of a public API controller. */
export const Operation = (doc: OperationDoc) => SetMetadata(OPERATION, doc);

import { z } from 'zod';

/** What recording needs to know about an API operation (system/api-operations.ts provides it). */
export interface RecordedOperation {
  /** operationId. */
  readonly id: string;
  readonly method: string;
  /** With `{name}` for a path parameter. */
  readonly paths: readonly string[];
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly headers?: readonly Readonly<Record<string, unknown>>[];
}

/** The operations of the API by route, and the names of their parameters and fields. */
export class Operations {
  readonly #byRoute = new Map<string, Map<string, string>>();
  readonly #fields = new Set<string>(['Authorization', 'Content-Type', 'Host', 'Idempotency-Key']);

  constructor(operations: readonly RecordedOperation[]) {
    for (const { id, method, paths, query, body, headers = [] } of operations) {
      for (const path of paths) this.#add(path.replaceAll(/\{(\w+)\}/g, ':$1'), method.toUpperCase(), id);
      for (const schema of [query, body])
        if (schema) this.#learn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
      for (const { name } of headers) if (typeof name === 'string') this.#fields.add(name);
    }
  }

  /** operationId of a route (Fastify's path pattern, uppercase method); undefined = not an API operation. */
  of(route: string, method: string): string | undefined {
    return this.#byRoute.get(route)?.get(method);
  }

  /** Whether the API description has this name: a parameter, a header, or one segment of a body field. */
  isField(word: string): boolean {
    return this.#fields.has(word);
  }

  #add(route: string, method: string, id: string): void {
    const methods = this.#byRoute.get(route) ?? new Map<string, string>();
    this.#byRoute.set(route, methods.set(method, id));
  }

  #learn(schema: unknown): void {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, inner] of Object.entries(schema)) {
      if (key === 'properties') for (const name of Object.keys(inner as object)) this.#fields.add(name);
      this.#learn(inner);
    }
  }
}

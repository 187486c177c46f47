import { z } from 'zod';
import { Expression } from './expression.js';
import { type BodyTree, bodyTree, requestExpression, requestTemplate, xmlTree } from './expression.schema.js';
import type { RequestNames } from './request-names.js';

const HEADER_NAME = /^[a-z0-9-]{1,64}$/i;

/** Headers by name; their values are templates over `names`. See requestTemplate for `hint`. */
export function headerTemplates(names: readonly string[], refused: readonly string[] = [], hint = '') {
  return z.record(
    z.string().regex(HEADER_NAME, 'is not a header name; use 1 to 64 letters, digits and hyphens'),
    requestTemplate(names, refused, hint),
  );
}

/**
 * One call as data. The path and header values are text with expressions in braces; query, form, JSON and XML body
 * values are expressions. Members without a value are left out; if a value in the path is missing, the call is not made.
 */
export function requestSchema(names: RequestNames) {
  const { open, secret, personal } = names;
  const inUrls = [...secret, ...personal];
  return z
    .strictObject({
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      path: requestTemplate(open, inUrls).refine(
        ({ text }) => /^\/[^\s?#]*$/.test(text.replaceAll(/\{[^{}]*\}/g, 'value')),
        'must begin with / and have no query, fragment or spaces; put the query in `query`',
      ),
      query: z.record(z.string(), requestExpression(open, inUrls)).default({}),
      headers: headerTemplates([...open, ...secret], personal).default({}),
      json: bodyTree(names).optional(),
      form: z.record(z.string(), requestExpression([...open, ...secret, ...personal])).optional(),
      xml: xmlTree(names).optional(),
    })
    .superRefine((request, context) => {
      const [first, second] = (['json', 'form', 'xml'] as const).filter((body) => request[body] !== undefined);
      if (second !== undefined)
        context.addIssue({
          code: 'custom',
          path: [second],
          message: `cannot be combined with ${first}; keep one of them`,
        });
    });
}

/** A call from a manifest, parsed. */
export type RequestSpec = z.infer<ReturnType<typeof requestSchema>>;

/** Whether a call reads a member of the request. */
export function reads({ path, query, headers, json, form, xml }: RequestSpec, name: string): boolean {
  const templates = [path, ...Object.values(headers)].flatMap(({ parts }) =>
    parts.filter((part) => typeof part !== 'string'),
  );
  const expressions = [
    ...templates,
    ...Object.values(query),
    ...Object.values(form ?? {}),
    ...[json, xml].flatMap((tree) => (tree === undefined ? [] : expressionsIn(tree))),
  ];
  return expressions.some(({ names }) => names.includes(name));
}

function expressionsIn(tree: BodyTree): readonly Expression[] {
  if (tree instanceof Expression) return [tree];
  return typeof tree === 'object' ? Object.values(tree).flatMap((member: BodyTree) => expressionsIn(member)) : [];
}

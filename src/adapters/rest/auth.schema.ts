import { z } from 'zod';
import { expression } from './expression.schema.js';
import { LIFETIME_UNITS } from './lifetime.js';
import { headerTemplates, requestSchema } from './request.schema.js';
import { CALL_NAMES } from './request-names.js';

const UNSET = '; a credential whose environment variable is not set counts as missing';

/**
 * How calls are authenticated. `credentials` are the names of the secrets in the supplier's file; naming any other
 * secret is an error in the manifest. Paths are relative to the supplier's URL.
 */
export function authSchema(credentials: readonly string[]) {
  const secret = (usual: string) =>
    z
      .string()
      .default(usual)
      .refine((name) => credentials.includes(name), {
        error: (issue) =>
          `there is no credential "${issue.input}"; available credentials: ${credentials.join(', ') || 'none'}${UNSET}`,
      });
  return z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('none') }),
      z.strictObject({ kind: z.literal('header'), headers: headerTemplates(credentials, [], UNSET) }),
      z.strictObject({ kind: z.literal('basic'), username: secret('username'), password: secret('password') }),
      z.strictObject({
        kind: z.literal('oauth2'),
        path: z.string().regex(/^\/[^\s?#]*$/, 'must begin with / and have no query, fragment or spaces'),
        clientId: secret('clientId'),
        clientSecret: secret('clientSecret'),
        sendSecret: z.enum(['basic', 'body']).default('basic'),
        scope: z.string().optional(),
      }),
      z
        .strictObject({
          kind: z.literal('token'),
          request: requestSchema({ open: CALL_NAMES, secret: credentials, personal: [] }),
          token: expression,
          expiresInSeconds: z.union([z.number().int().min(30), expression]).optional(),
          expires: z.strictObject({ value: expression, unit: z.enum(LIFETIME_UNITS) }).optional(),
          headers: headerTemplates(['token']),
        })
        .refine(({ expiresInSeconds, expires }) => (expiresInSeconds === undefined) !== (expires === undefined), {
          path: ['expiresInSeconds'],
          message: 'is required unless expires is set, and cannot be combined with it; keep one of them',
        }),
    ])
    .default({ kind: 'none' });
}

/** The authentication of a manifest. */
export type Auth = z.infer<ReturnType<typeof authSchema>>;

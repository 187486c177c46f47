import { z } from 'zod';
import { type AdminOperation, changes, lists } from '../admin-operation.js';

const tag = 'products';
const VERSION = '/products/{product}/versions/{version}';
const sunset = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, { error: 'must be a date such as 2027-01-31.' })
  .optional()
  .describe('The date on which a deprecated version will be retired.');

/** Versions of products. What a change does is in `notices`. */
export const productOperations: readonly AdminOperation[] = [
  lists(
    { id: 'listVersions', path: '/products', tag, summary: 'All versions of products', command: 'products list' },
    {
      ...{ product: z.string(), version: z.string(), state: z.string() },
      ...{ deprecated: z.string(), sunset: z.string() },
    },
  ),
  ...(
    [
      ['promoteVersion', 'promotion', 'products promote', 'Move a version one step: Designed → Beta → Live'],
      ['deprecateVersion', 'deprecation', 'products deprecate', 'Close a Live version to new subscribers'],
    ] as const
  ).map(([id, step, command, summary]) =>
    changes(
      { id, method: 'POST', path: `${VERSION}/${step}`, tag, command, summary },
      { sunset },
      (body, { product = '', version = '' }) => ({
        options: { version, sunset: body.sunset, yes: true },
        args: [product],
      }),
    ),
  ),
  changes(
    {
      ...{ id: 'retireVersion', method: 'POST', path: `${VERSION}/retirement`, tag, command: 'products retire' },
      summary: 'Stop a deprecated version from answering calls',
    },
    {},
    (_body, { product = '', version = '' }) => ({ options: { version, yes: true }, args: [product] }),
  ),
  changes(
    {
      ...{ id: 'restoreVersion', method: 'POST', path: `${VERSION}/restoration`, tag, command: 'products restore' },
      summary: 'Make a version that was retired by mistake deprecated again',
    },
    {},
    (_body, { product = '', version = '' }) => ({ options: { version, yes: true }, args: [product] }),
  ),
  ...(
    [
      ['addToBeta', 'addition', 'products beta-add', 'Add a sandbox application to a Beta'],
      ['removeFromBeta', 'removal', 'products beta-remove', 'Remove an application from a Beta'],
    ] as const
  ).map(([id, step, command, summary]) =>
    changes(
      { id, method: 'POST', path: `${VERSION}/beta/{application}/${step}`, tag, command, summary },
      {},
      (_body, { product = '', version = '', application = '' }) => ({
        options: { version },
        args: [product, application],
      }),
    ),
  ),
];

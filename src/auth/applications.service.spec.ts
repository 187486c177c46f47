import { expect, it, jest } from '@jest/globals';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { mayBeDone } from '../database/database-fault.js';
import { ApplicationsService } from './applications.service.js';
import { ClientSecrets } from './client-secrets.js';

it('leaves no doubt about a token call if the note that its secret was used may have been stored', async () => {
  const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-tests-0123456789-0123456789' });
  const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const secrets = [{ id: 'secret', live: true, unused: true }];
  const rows = jest
    .fn<() => Promise<unknown>>()
    .mockResolvedValueOnce([{ environment: 'sandbox', state: 'active', secrets }])
    .mockRejectedValueOnce(new DrizzleQueryError('update client_secrets', [], broken));
  const service = new ApplicationsService({ rows } as never, new ClientSecrets(config, loadKeys(config)), {
    limitsOf: () => [],
  } as never);
  const failed = await service.check('client', 'secret', 'sandbox').catch((error: unknown) => error);
  expect([failed instanceof DrizzleQueryError, mayBeDone(failed), rows.mock.calls.length]).toEqual([true, false, 2]);
});

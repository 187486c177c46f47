import { auditChainContract } from '../../src/database/audit-chain.contract.js';
import { openDatabase } from '../../src/database/database.js';
import { describeWith } from '../support/binaries.js';
import { freshDatabase } from '../support/database.js';

describeWith('initdb')('with a real PostgreSQL', () => {
  auditChainContract('PostgreSQL', async () => {
    const postgres = await freshDatabase();
    const database = await openDatabase(postgres.url, '', { migrations: 'wait' });
    return {
      ...database,
      close: async () => {
        await database.close();
        await postgres.dispose();
      },
    };
  });
});

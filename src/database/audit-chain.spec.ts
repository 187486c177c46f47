import { openEmbedded } from '../../test/support/migrated-database.js';
import { auditChainContract } from './audit-chain.contract.js';

auditChainContract('PGlite', openEmbedded);

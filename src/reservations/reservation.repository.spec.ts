import { openEmbedded } from '../../test/support/migrated-database.js';
import { reservationRepositoryContract } from './reservation.repository.contract.js';

reservationRepositoryContract('PGlite', openEmbedded);

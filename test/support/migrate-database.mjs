// Applies the migrations of the source, which needs no build, to the PostgreSQL database whose URL is the argument:
// node --experimental-transform-types test/support/migrate-database.mjs <url>
import '../../scripts/typescript.mjs';

const { openDatabase } = await import('../../src/database/database.ts');
const database = await openDatabase(process.argv[2], '');
await database.close();

// Prints the rows of one statement in a PGlite database as JSON: `node pglite-query.mjs <folder> <sql> <values as JSON>`.
import { PGlite } from '@electric-sql/pglite';

const [folder, text, values] = process.argv.slice(2);
const database = await PGlite.create(folder);
const { rows } = await database.query(text, JSON.parse(values));
console.log(JSON.stringify(rows));
await database.close();

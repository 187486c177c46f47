// Writes config/schema/supplier.schema.json, which editors use to complete and check config/suppliers/*.yaml, from the
// schema that the gateway checks them with. With --check it writes nothing and exits with 1 if the file is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { supplierConfigSchema } from '../build/config/supplier-config.schema.js';

const file = fileURLToPath(new URL('../config/schema/supplier.schema.json', import.meta.url));
const schema = { title: 'A supplier of Forecourt', ...z.toJSONSchema(supplierConfigSchema, { io: 'input' }) };

if (process.argv.includes('--check')) {
  if (!isDeepStrictEqual(JSON.parse(readFileSync(file, 'utf8')), schema)) {
    console.error('config/schema/supplier.schema.json is stale: run npm run schemas');
    process.exit(1);
  }
} else {
  mkdirSync(fileURLToPath(new URL('../config/schema', import.meta.url)), { recursive: true });
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
}

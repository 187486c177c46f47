import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/database/all-tables.ts',
  out: './src/database/migrations',
});

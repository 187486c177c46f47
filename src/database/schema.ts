import { pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** API products of the collection /cars (spec §1); rows come from config/products.yaml. */
export const products = pgTable('products', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** Path before the version segment: /cars/locations. */
  path: text('path').notNull(),
  /** designed | beta | live | deprecated | retired (spec §3.1). */
  state: text('state').notNull(),
});

/** Client applications (spec §1.3). Ids are `app_…`; the client id is what developers send. */
export const applications = pgTable('applications', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  clientId: text('client_id').notNull().unique(),
  /** HMAC-SHA-256 of the client secret under the key `client_secret`, base64url. */
  secretHmac: text('secret_hmac').notNull(),
  /** sandbox | production: a pair works in one environment only (spec §5.7). */
  environment: text('environment').notNull(),
  /** Key of config/tiers.yaml. */
  tier: text('tier').notNull(),
  /** active | suspended. */
  state: text('state').notNull().default('active'),
  /** After this instant the pair is answered 401. Null = no expiry. */
  credentialsExpireAt: timestamp('credentials_expire_at', { withTimezone: true }),
  /** Sandbox scenario applied when a call names none. */
  defaultScenario: text('default_scenario'),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Which products an application may call (spec §1.2); without a row the answer is 403. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    applicationId: text('application_id')
      .notNull()
      .references(() => applications.id, { onDelete: 'cascade' }),
    productId: text('product_id')
      .notNull()
      .references(() => products.id),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.applicationId, table.productId] })],
);

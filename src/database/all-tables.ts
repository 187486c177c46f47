/** All tables of the database, for migrations and for what must know every table. */
export * from './admin-tables.js';
export * from './audit-tables.js';
export * from './incident-tables.js';
export * from './notice-tables.js';
export * from './outbox-tables.js';
export * from './record-tables.js';
export * from './reservation-tables.js';
export * from './sandbox-tables.js';
export * from './schema.js';
export * from './supplier-tables.js';
export * from './switch-tables.js';
export * from './webhook-tables.js';

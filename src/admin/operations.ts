import type { AdminOperation } from './admin-operation.js';
import { accountOperations } from './operations/accounts.js';
import { incidentOperations } from './operations/incidents.js';
import { productOperations } from './operations/products.js';
import { recordOperations } from './operations/records.js';
import { reservationOperations } from './operations/reservations.js';
import { supplierOperations } from './operations/suppliers.js';
import { webhookOperations } from './operations/webhooks.js';

/** Every operation of the admin API, in the order of its description. Routes, descriptions and tests come from this table. */
export const adminOperations: readonly AdminOperation[] = [
  ...supplierOperations,
  ...incidentOperations,
  ...reservationOperations,
  ...accountOperations,
  ...productOperations,
  ...webhookOperations,
  ...recordOperations,
];

import { z } from 'zod';
import { SUPPLIER_STATES } from '../../config/supplier-config.schema.js';
import { ApiError } from '../../status/api-error.js';
import { type AdminOperation, changes, lists, wordsOf } from '../admin-operation.js';
import { printable, utcTime } from './fields.js';

const tag = 'suppliers';
const supplier = {
  supplier: z.string(),
  state: z.string().describe('The current state.'),
  until: z.string().describe('When a maintenance ends; "-" = not announced.'),
  configured: z.string().describe('The state of its file; "-" if the file was removed.'),
};

/** Suppliers, and what is switched off or planned. */
export const supplierOperations: readonly AdminOperation[] = [
  lists({ id: 'listSuppliers', path: '/suppliers', tag, summary: 'All suppliers', command: 'supplier list' }, supplier),
  {
    ...{ id: 'getSupplier', method: 'GET', path: '/suppliers/{supplier}', tag, summary: 'One supplier' },
    command: 'supplier list',
    answer: z.strictObject(supplier),
    run: async ({ params, command }) => {
      const { result } = await command(wordsOf('supplier list', {}));
      const found = (result as { readonly supplier: string }[]).find((row) => row.supplier === params.supplier);
      if (!found) throw ApiError.of('resource_failure', `There is no supplier "${params.supplier}".`);
      return found;
    },
  },
  changes(
    {
      ...{ id: 'setSupplierState', method: 'PUT', path: '/suppliers/{supplier}/state', tag },
      ...{ summary: 'Set the state of a supplier, or return to that of its file', command: 'supplier state' },
    },
    { state: z.enum([...SUPPLIER_STATES, 'configured']), until: utcTime.optional() },
    ({ state, until }, { supplier: id = '' }) => ({ options: { until }, args: [id, state] }),
  ),
  changes(
    {
      ...{ id: 'setSupplierCanary', method: 'PUT', path: '/suppliers/{supplier}/canary', tag },
      ...{ summary: 'Send a share of the searches to a supplier', command: 'supplier canary' },
    },
    { percent: z.int().min(1).max(99) },
    ({ percent }, { supplier: id = '' }) => ({ options: { percent: String(percent) }, args: [id] }),
  ),
  changes(
    {
      ...{ id: 'planSupplierMaintenance', method: 'POST', path: '/suppliers/{supplier}/maintenance-plans', tag },
      ...{ summary: 'Plan a maintenance of a supplier', command: 'supplier maintenance' },
    },
    { from: utcTime, until: utcTime },
    ({ from, until }, { supplier: id = '' }) => ({ options: { from, until }, args: [id] }),
  ),
  lists(
    {
      ...{ id: 'listSwitches', path: '/switches', tag: 'switches', command: 'switch list' },
      summary: 'What is switched off or planned',
    },
    {
      ...{ id: z.string(), kind: z.string(), subject: z.string() },
      ...{ begin: z.string(), end: z.string(), reason: z.string() },
    },
  ),
  changes(
    {
      ...{ id: 'switchOff', method: 'POST', path: '/switches', tag: 'switches', command: 'switch off' },
      summary: 'Switch an operation, brand, product or supplier off from now on',
    },
    {
      kind: z.enum(['operation', 'brand', 'product', 'supplier']),
      subject: printable(200),
      until: utcTime.optional(),
    },
    ({ kind, subject, until }) => ({ options: { until }, args: [kind, subject] }),
  ),
  changes(
    {
      ...{ id: 'removeSwitch', method: 'POST', path: '/switches/{switch}/removal', tag: 'switches' },
      ...{ summary: 'Switch it on again, or cancel a planned maintenance', command: 'switch remove' },
    },
    {},
    (_body, { switch: id = '' }) => ({ args: [id] }),
  ),
  lists(
    {
      ...{ id: 'listMaintenance', path: '/maintenance', tag: 'maintenance', command: 'maintenance list' },
      summary: 'What is in maintenance now',
    },
    { subject: z.string(), until: z.string() },
  ),
  changes(
    {
      ...{ id: 'startMaintenance', method: 'POST', path: '/maintenance/{subject}/start', tag: 'maintenance' },
      ...{ summary: 'Put the service or a product into maintenance', command: 'maintenance on' },
    },
    { until: utcTime.optional() },
    ({ until }, { subject = '' }) => ({ options: { until }, args: [subject] }),
  ),
  changes(
    {
      ...{ id: 'endMaintenance', method: 'POST', path: '/maintenance/{subject}/end', tag: 'maintenance' },
      ...{ summary: 'End a maintenance', command: 'maintenance off' },
    },
    {},
    (_body, { subject = '' }) => ({ args: [subject] }),
  ),
  changes(
    {
      ...{ id: 'planMaintenance', method: 'POST', path: '/maintenance/{subject}/plans', tag: 'maintenance' },
      ...{ summary: 'Plan a maintenance of the service or a product', command: 'maintenance plan' },
    },
    { from: utcTime, until: utcTime },
    ({ from, until }, { subject = '' }) => ({ options: { from, until }, args: [subject] }),
  ),
];

import { z } from 'zod';
import { type AdminOperation, changes, lists } from '../admin-operation.js';
import { printable } from './fields.js';

const tag = 'incidents';

/** Incidents of the status page. */
export const incidentOperations: readonly AdminOperation[] = [
  lists(
    { id: 'listIncidents', path: '/incidents', tag, summary: 'Incidents of 90 days', command: 'incident list' },
    {
      ...{ id: z.string(), kind: z.string(), part: z.string() },
      ...{ begin: z.string(), end: z.string(), operations: z.string() },
    },
  ),
  changes(
    { id: 'openIncident', method: 'POST', path: '/incidents', tag, summary: 'Post a notice', command: 'incident open' },
    { part: printable(100), text: printable(500) },
    ({ part, text }) => ({ options: { text }, args: [part] }),
  ),
  changes(
    {
      ...{ id: 'addIncidentNote', method: 'POST', path: '/incidents/{incident}/notes', tag },
      ...{ summary: 'Add a text to an incident', command: 'incident note' },
    },
    { text: printable(500) },
    ({ text }, { incident = '' }) => ({ options: { text }, args: [incident] }),
  ),
  changes(
    {
      ...{ id: 'closeIncident', method: 'POST', path: '/incidents/{incident}/closure', tag },
      ...{ summary: 'End a notice', command: 'incident close' },
    },
    {},
    (_body, { incident = '' }) => ({ args: [incident] }),
  ),
];

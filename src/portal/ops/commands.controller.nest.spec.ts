import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { Turns } from '../../config/turns.js';
import { RequestContext } from '../../context/request-context.js';
import type { OperatorOperation } from '../../system/operator-operations.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { OpsCommandsController } from './commands.controller.js';
import { Subjects } from './subjects.service.js';

const operation = (id: string, tag: string, ...names: readonly string[]): OperatorOperation => ({
  ...{ id, tag, summary: id, command: '', call: '', isChange: true },
  fields: names.map((name) => ({ name, kind: 'text', values: [], isRequired: true, initial: '', hint: '' })),
});
const operations = [
  operation('createOperator', 'accounts', 'email'),
  operation('eraseReservation', 'reservations', 'reservation'),
  operation('resolveReservation', 'reservations', 'reservation'),
  operation('switchOff', 'switches', 'kind', 'subject'),
];
const ran: string[] = [];
let preparing = Promise.resolve();
const controller = new OpsCommandsController(
  {
    all: () => operations,
    preview: async () => {
      await preparing;
      return [];
    },
    run: async (id: string) => {
      ran.push(id);
      return { result: null, notices: [], changes: [] };
    },
  },
  { portal: { confirmMinutes: 10 } } as never,
  new HeavyViews({ reports: { turns: new Turns() } }),
  new Subjects({ configured: [] }, { seeds: [] }),
  { all: async () => ({ off: [], planned: [], incidents: [] }) },
);
const sent = (confirmedAtMs: number, form: Readonly<Record<string, string>>, check: () => Promise<void>) => {
  const session = { confirmedAtMs };
  const visitor = { accountId: 'acc_a', name: 'Ada', email: 'ada@example.com', role: 'ops', session };
  const context = new RequestContext('req', 0);
  context.acceptedBy(check);
  return { visitor, body: new URLSearchParams(form).toString(), ip: '192.0.2.1', context };
};
const change = async (
  id: string,
  confirmedAtMs: number,
  form: Readonly<Record<string, string>>,
  check = async (): Promise<void> => undefined,
) => await controller.change(sent(confirmedAtMs, form, check) as unknown as FastifyRequest, id);
beforeEach(() => ran.splice(0));

test('a form that needs the password first puts nothing that was typed into a URL', async () => {
  const location = '/confirm?next=%2Fops%2Fcommands%2FcreateOperator';
  const form = { email: 'renter@example.com', confirmed: 'yes' };
  await expect(change('createOperator', 0, form)).rejects.toMatchObject({ location });
  expect(ran).toEqual([]);
});

test('neither does the way back from the page that asks for confirmation', async () => {
  const form = { email: 'renter@example.com' };
  const { body } = await change('createOperator', Date.now(), form);
  expect(String(body)).not.toMatch(/(href|action)="[^"]*renter/);
  const back = await change('createOperator', Date.now(), { ...form, confirmed: 'back' });
  expect(String(back.body)).toMatch(/<input[^>]*value="renter@example.com"/);
  expect(ran).toEqual([]);
  await change('createOperator', Date.now(), { ...form, confirmed: 'yes' });
  expect(ran).toEqual(['createOperator']);
});

test("erasing a renter's data needs the password; what is urgent does not", async () => {
  const form = { reservation: 'res_1', confirmed: 'yes' };
  await expect(change('eraseReservation', 0, form)).rejects.toMatchObject({
    location: expect.stringContaining('/confirm'),
  });
  expect(ran).toEqual([]);
  await change('resolveReservation', 0, form);
  expect(ran).toEqual(['resolveReservation']);
});

test('a change is not made if its session ends while what it would do is found out', async () => {
  preparing = wait(150);
  const form = { reservation: 'res_1', confirmed: 'yes' };
  const ended = () => Promise.reject(new Error('the session has ended'));
  await expect(change('resolveReservation', 0, form, ended)).rejects.toThrow('the session has ended');
  preparing = Promise.resolve();
  expect(ran).toEqual([]);
});

test('before a brand is switched off, the page says what that means for callers', async () => {
  const { body } = await change('switchOff', 0, { kind: 'brand', subject: 'Budget' });
  expect(String(body)).toContain('A search for this brand alone gets a 503');
  expect(ran).toEqual([]);
});

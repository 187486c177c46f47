import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { contextOf } from '../../http/context.decorator.js';
import { ApiError } from '../../status/api-error.js';
import {
  OPERATOR_OPERATIONS,
  type OperationValues,
  type OperatorCaller,
  type OperatorOperation,
  type OperatorOperations,
} from '../../system/operator-operations.js';
import type { FormState } from '../shell/field.js';
import { readSubmitted } from '../shell/form.js';
import { requireFreshPassword } from '../shell/fresh-password.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { type CommandDone, commandDonePage, commandPage, commandsPage, confirmCommandPage } from './command-pages.js';
import { commandMeaning, commandWords, subjectOf, type WordedCommand } from './command-words.js';
import { Subjects } from './subjects.service.js';
import { SwitchboardService, type SwitchedPart } from './switchboard.service.js';

/** Subjects of changes that a person must be able to make immediately, at night. All others need a password entered lately. */
const URGENT: readonly string[] = ['suppliers', 'switches', 'maintenance', 'incidents', 'reservations'];
/** Changes of those subjects that can wait, and can't be undone. */
const PERMANENT: readonly string[] = ['eraseReservation'];
const texts = z.record(z.string().max(50), z.string().max(5_000));

/** Every operation of the admin API as a page (docs/operations-console.md#commands). */
@Pages('ops/commands')
@ForOperators()
export class OpsCommandsController {
  constructor(
    @Inject(OPERATOR_OPERATIONS) private readonly operations: OperatorOperations,
    @Inject(CONFIG) private readonly config: Config,
    private readonly views: HeavyViews,
    private readonly subjects: Subjects,
    @Inject(SwitchboardService) private readonly switchboard: Pick<SwitchboardService, 'all'>,
  ) {}

  @Get()
  list(@Req() request: FastifyRequest): Answer {
    return commandsPage(visitorOf(request), this.operations.all());
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string, @Query() given: unknown): Promise<Answer> {
    const [visitor, operation] = [visitorOf(request), this.#find(id)];
    const { run, ...typed } = texts.safeParse(given).data ?? {};
    if (operation.isChange) this.#requirePassword(visitor, operation, `?${new URLSearchParams(typed)}`);
    const isRun = !operation.isChange && (run === 'yes' || !operation.fields.some(({ isRequired }) => isRequired));
    if (!isRun) return commandPage(visitor, await this.#worded(operation, typed), { state: { typed } });
    return await this.#answered(visitor, operation, typed, () => this.#read(operation, typed, request));
  }

  /** First asks; changes something once that is confirmed. */
  @Submit(':id')
  async change(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const [visitor, operation] = [visitorOf(request), this.#find(id)];
    if (!operation.isChange) throw new PageError(404);
    // What was typed may be a person's name or email address, so it is typed again: URLs are logged.
    this.#requirePassword(visitor, operation, '');
    const form = readSubmitted(request, texts);
    if (!form.ok || form.values.confirmed === 'back') return await this.#again(visitor, operation, form);
    return await this.#answered(visitor, operation, form.values, () => this.#change(operation, form.values, request));
  }

  async #again(visitor: Visitor, operation: OperatorOperation, { typed = {}, problems }: FormState): Promise<Answer> {
    const state = problems ? { typed, problems } : { typed };
    return commandPage(visitor, await this.#worded(operation, typed), { state });
  }

  async #read(operation: OperatorOperation, typed: OperationValues, request: FastifyRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    const read = () => this.operations.run(operation.id, typed, callerOf(request, visitor));
    const found = await this.views.run(visitor.accountId, read);
    return commandPage(visitor, await this.#worded(operation, typed), { state: { typed }, found });
  }

  async #change(
    operation: OperatorOperation,
    { confirmed, ...values }: OperationValues,
    request: FastifyRequest,
  ): Promise<Answer> {
    const visitor = visitorOf(request);
    const caller = callerOf(request, visitor);
    const effects = await this.operations.preview(operation.id, values, caller);
    // Before it is done: afterwards, a switch that was removed is unknown.
    const worded = await this.#worded(operation, values);
    if (confirmed !== 'yes')
      return confirmCommandPage(visitor, worded, values, [...commandMeaning(operation, values), ...effects]);
    await contextOf(request).reauthorizeIfLate();
    const done = await this.operations.run(operation.id, values, caller);
    return commandDonePage(visitor, worded, done as unknown as CommandDone);
  }

  /** The command in words, with names to choose from where the values say of which kind. */
  async #worded(operation: OperatorOperation, values: OperationValues): Promise<WordedCommand> {
    const { id } = operation;
    const { off, planned } =
      id === 'removeSwitch' && values.switch ? await this.switchboard.all() : { off: [], planned: [] };
    const isIt = ({ endPath }: SwitchedPart): boolean => endPath.endsWith(`?switch=${values.switch}`);
    const found = subjectOf(operation, values, [...off, ...planned].find(isIt));
    const about = found && { ...found, label: this.subjects.label(found), isPlanned: planned.some(isIt) };
    const kind = id === 'switchOff' ? (values.kind ?? '') : '';
    return { ...operation, words: commandWords(operation, values, about), kind, subjects: this.subjects.of(kind) };
  }

  #find(id: string): OperatorOperation {
    const found = this.operations.all().find((one) => one.id === id);
    if (!found) throw new PageError(404, 'There is no command with this name.');
    return found;
  }

  /** `query`: of the page's own URL, to return to it. */
  #requirePassword(visitor: Visitor, { id, tag }: OperatorOperation, query: string): void {
    if (URGENT.includes(tag) && !PERMANENT.includes(id)) return;
    requireFreshPassword(visitor, this.config.portal.confirmMinutes, `/ops/commands/${id}${query}`);
  }

  /** What is refused is shown at the field that it concerns. */
  async #answered(
    visitor: Visitor,
    operation: OperatorOperation,
    typed: OperationValues,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return commandPage(visitor, await this.#worded(operation, typed), { state: refused(operation, typed, error) });
    }
  }
}

function refused({ fields }: OperatorOperation, typed: OperationValues, { problems: found }: ApiError): FormState {
  const problems: Record<string, string> = {};
  for (const { field = 'form', details = 'This is not possible.' } of found)
    problems[fields.some(({ name }) => name === field) ? field : 'form'] ??= details;
  return { typed, problems };
}

function callerOf(request: FastifyRequest, visitor: Visitor): OperatorCaller {
  return { person: visitor, name: visitor.name, address: request.ip, requestId: contextOf(request).id };
}

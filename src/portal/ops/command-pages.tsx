import type { ComponentChildren } from 'preact';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import type { OperationValues, OperatorOperation } from '../../system/operator-operations.js';
import { CardTable } from '../shell/card-table.js';
import type { FormState } from '../shell/field.js';
import { changeText } from './change-text.js';
import { CommandForm, fieldName } from './command-form.js';
import { CommandOutput, CommandResult } from './command-result.js';
import type { WordedCommand } from './command-words.js';
import { opsPage } from './ops-page.js';

const AREA = '/ops/commands';

/** What operators can do: a link per operation, by subject. */
export function commandsPage(visitor: Visitor, operations: readonly OperatorOperation[]): Answer {
  return opsPage(
    { title: 'Commands', visitor, area: AREA },
    <>
      <h1>Commands</h1>
      <p class="lead">
        Everything that <code>gw</code> and the admin API can do. What changes something asks first, and is in the{' '}
        <a href="/ops/audit">audit log</a>.
      </p>
      {[...Map.groupBy(operations, ({ tag }) => tag)].map(([tag, ofTag]) => (
        <section key={tag} class="listed-commands">
          <h2>{fieldName(tag)}</h2>
          <CardTable
            label={fieldName(tag)}
            columns={[{ name: 'Page', kind: 'change' }, { name: 'Command' }, { name: 'Admin API' }]}
            rows={ofTag.map(({ id, summary, command, call, isChange }) => ({
              key: id,
              cells: [
                <a href={`${AREA}/${id}`}>
                  {summary}
                  {isChange && '…'}
                </a>,
                command === '' ? '–' : <code>gw {command}</code>,
                <code>{call}</code>,
              ],
            }))}
          />
        </section>
      ))}
    </>,
  );
}

/** The form of an operation, and what it found. `found`: undefined = it wasn't run. */
export function commandPage(
  visitor: Visitor,
  operation: WordedCommand,
  { state = {}, found }: { readonly state?: FormState; readonly found?: Readonly<Record<string, unknown>> },
): Answer {
  return frame(
    visitor,
    operation,
    <>
      {found && <CommandResult operation={operation} values={state.typed ?? {}} found={found} />}
      {(operation.fields.length > 0 || operation.isChange) && <CommandForm operation={operation} state={state} />}
    </>,
    state.problems ? 400 : 200,
  );
}

/** What a change would do, and the button that does it. */
export function confirmCommandPage(
  visitor: Visitor,
  operation: WordedCommand,
  values: OperationValues,
  effects: readonly string[],
): Answer {
  const { id, fields, words, kind, subjects } = operation;
  const isKnown = subjects.size > 0;
  const given = fields.filter(({ name }) => (values[name] ?? '') !== '');
  // The name of the subject says it.
  const shown = given.filter(({ name }) => !(isKnown && name === 'kind'));
  return frame(
    visitor,
    operation,
    <>
      <p class="lead">Nothing has changed yet.</p>
      {effects.length > 0 && (
        <ul class="bullets">
          {effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      )}
      <dl class="facts">
        {shown.map(({ name }) => (
          <>
            <dt>{fieldName(isKnown && name === 'subject' ? kind : name)}</dt>
            <dd>{(name === 'subject' && subjects.get(values[name] ?? '')) || values[name]}</dd>
          </>
        ))}
      </dl>
      <form method="post" action={`${AREA}/${id}`}>
        {given.map(({ name }) => (
          <input key={name} type="hidden" name={name} value={values[name]} />
        ))}
        <p class="actions">
          <button type="submit" name="confirmed" value="yes">
            {words.title}
          </button>
          {/* Not a link: what was typed may be a person's name or email address, and URLs are logged. */}
          <button type="submit" name="confirmed" value="back" class="second">
            Back
          </button>
        </p>
      </form>
    </>,
  );
}

/** What was done, and the way back. Secrets and links that a change creates are shown here only. */
export function commandDonePage(
  visitor: Visitor,
  operation: WordedCommand,
  { result, notices, changes }: CommandDone,
): Answer {
  return frame(
    visitor,
    operation,
    <>
      <p class="card" role="status">
        <span class="badge good">Done</span> {operation.words.done}{' '}
        {changes.length === 0 && 'Nothing was recorded in the audit log.'}
      </p>
      <CommandOutput result={result} />
      {notices.map((notice) => (
        <p key={notice}>{notice}</p>
      ))}
      <p class="actions">
        <a class="button" href={operation.words.back.path}>
          {operation.words.back.text}
        </a>
      </p>
      {changes.length > 0 && <h2>Recorded in the audit log</h2>}
      <ul class="events">
        {changes.map(({ action, subject, before, after }) => (
          <li key={`${action} ${subject}`}>
            {action.replaceAll('_', ' ')}: <a href={`/ops/audit?subject=${encodeURIComponent(subject)}`}>{subject}</a>{' '}
            {changeText(before, after)}
          </li>
        ))}
      </ul>
    </>,
  );
}

/** The answer to a change, as in the admin API. */
export interface CommandDone {
  /** What the command printed: its JSON, or its lines. */
  readonly result: unknown;
  readonly notices: readonly string[];
  readonly changes: readonly {
    readonly action: string;
    readonly subject: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

function frame(
  visitor: Visitor,
  { words: { title }, command }: WordedCommand,
  content: ComponentChildren,
  status = 200,
): Answer {
  return opsPage(
    { title, visitor, area: AREA, status },
    <>
      <p class="quiet crumb">
        <a href={AREA}>Commands</a> {command !== '' && <code>/ gw {command}</code>}
      </p>
      <h1>{title}</h1>
      {content}
    </>,
  );
}

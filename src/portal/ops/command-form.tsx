import type { OperationField } from '../../system/operator-operations.js';
import { FormProblem, type FormState } from '../shell/field.js';
import type { WordedCommand } from './command-words.js';

/** The form of an operation; a change asks on the next page. A kind that is known isn't asked for: its subjects are. */
export function CommandForm({ operation, state }: { operation: WordedCommand; state: FormState }) {
  const { id, isChange, fields, kind, subjects } = operation;
  const isKnown = subjects.size > 0;
  // The link to the next page has it.
  const shown = fields.filter(({ name }) => name !== 'cursor' && !(isKnown && name === 'kind'));
  return (
    <form class="card command" method={isChange ? 'post' : 'get'} action={`/ops/commands/${id}`}>
      <FormProblem state={state} />
      {isKnown && <input type="hidden" name="kind" value={kind} />}
      {shown.map((field) =>
        isKnown && field.name === 'subject' ? (
          <FieldOf key={field.name} field={field} state={state} label={fieldName(kind)} names={subjects} />
        ) : (
          <FieldOf key={field.name} field={field} state={state} label={fieldName(field.name)} />
        ),
      )}
      {!isChange && <input type="hidden" name="run" value="yes" />}
      <p class="actions">
        <button type="submit">{isChange ? 'Continue…' : 'Show'}</button>
        <a href="/ops/commands">All commands</a>
      </p>
      {isChange && <p class="hint">Nothing changes yet: the next page asks you to confirm.</p>}
    </form>
  );
}

/** A field's name in words. */
export function fieldName(name: string): string {
  const words = name.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

interface FieldProps {
  readonly field: OperationField;
  readonly state: FormState;
  readonly label: string;
  /** What to choose from, by value. */
  readonly names?: ReadonlyMap<string, string>;
}

function FieldOf({ field, state, label, names }: FieldProps) {
  const { name, kind, isRequired, hint } = field;
  const problem = state.problems?.[name];
  const isTime = hint.startsWith('UTC time');
  const words = isTime ? 'UTC, such as 2027-01-31 16:00.' : kind === 'list' ? `${hint} One per line.`.trim() : hint;
  return (
    <div class="field">
      <label for={`of-${name}`}>
        {label}
        {!isRequired && <span class="quiet"> (optional)</span>}
      </label>
      {words !== '' && (
        <p class="hint" id={`of-${name}-hint`}>
          {words}
        </p>
      )}
      {problem && (
        <p class="problem" id={`of-${name}-problem`}>
          {problem}
        </p>
      )}
      <Control
        field={field}
        names={names}
        text={state.typed?.[name] ?? field.initial}
        describedBy={[words !== '' && `of-${name}-hint`, problem && `of-${name}-problem`].filter(Boolean).join(' ')}
      />
    </div>
  );
}

interface ControlProps extends Pick<FieldProps, 'field'> {
  readonly names: FieldProps['names'] | undefined;
  readonly text: string;
  readonly describedBy: string;
}

function Control({ field, names, text, describedBy }: ControlProps) {
  const { name, kind, values, isRequired } = field;
  const shared = { id: `of-${name}`, name, 'aria-describedby': describedBy || undefined };
  if (names)
    return (
      <select {...shared} required={isRequired}>
        <option value="">Choose one</option>
        {[...names].map(([value, label]) => (
          <option key={value} value={value} selected={value === text}>
            {label}
          </option>
        ))}
      </select>
    );
  if (kind === 'choice' || kind === 'flag')
    return (
      <select {...shared}>
        {!isRequired && <option value="">{kind === 'flag' ? 'no' : '–'}</option>}
        {(kind === 'flag' ? ['yes'] : values).map((one) => (
          <option key={one} value={one} selected={one === text}>
            {one}
          </option>
        ))}
      </select>
    );
  if (kind === 'list') return <textarea {...shared} rows={3} required={isRequired} value={text} />;
  return (
    <>
      <input
        {...shared}
        type="text"
        required={isRequired}
        maxLength={2_000}
        value={text}
        list={values.length > 0 ? `of-${name}-known` : undefined}
      />
      {values.length > 0 && (
        <datalist id={`of-${name}-known`}>
          {values.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

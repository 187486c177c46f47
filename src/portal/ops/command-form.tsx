import type { OperationField, OperatorOperation } from '../../system/operator-operations.js';
import { FormProblem, type FormState } from '../shell/field.js';

/** The form of an operation; a change asks on the next page. */
export function CommandForm({ operation, state }: { operation: OperatorOperation; state: FormState }) {
  const { id, isChange, fields } = operation;
  // The link to the next page has it.
  const shown = fields.filter(({ name }) => name !== 'cursor');
  return (
    <form class="card command" method={isChange ? 'post' : 'get'} action={`/ops/commands/${id}`}>
      <FormProblem state={state} />
      {shown.map((field) => (
        <FieldOf key={field.name} field={field} state={state} />
      ))}
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

function FieldOf({ field, state }: { field: OperationField; state: FormState }) {
  const { name, kind, isRequired, hint } = field;
  const problem = state.problems?.[name];
  const isTime = hint.startsWith('UTC time');
  const words = isTime ? 'UTC, such as 2027-01-31 16:00.' : kind === 'list' ? `${hint} One per line.`.trim() : hint;
  return (
    <div class="field">
      <label for={`of-${name}`}>
        {fieldName(name)}
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
        text={state.typed?.[name] ?? field.initial}
        describedBy={[words !== '' && `of-${name}-hint`, problem && `of-${name}-problem`].filter(Boolean).join(' ')}
      />
    </div>
  );
}

function Control({ field, text, describedBy }: { field: OperationField; text: string; describedBy: string }) {
  const { name, kind, values, isRequired } = field;
  const shared = { id: `of-${name}`, name, 'aria-describedby': describedBy || undefined };
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

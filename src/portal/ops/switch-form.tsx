import { z } from 'zod';
import type { SupplierState } from '../../config/supplier-config.schema.js';
import { UNSEEN } from '../../http/fields.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { adviceOf } from './advice.js';
import type { SupplierFacts } from './supplier-facts.service.js';

const LONGEST_REASON = 300;

/** What operators may choose; `configured` returns to the state of the file. */
export const CHOICES = {
  live: 'Live',
  canary: 'Canary',
  shadow: 'Shadow',
  drain: 'Drain',
  maintenance: 'Maintenance',
  configured: 'As in its file',
} as const satisfies Partial<Record<SupplierState | 'configured', string>>;

/** What each choice means, in a line. Reservations are read, changed and canceled in every state. */
export const CHOICE_LINES: Readonly<Record<keyof typeof CHOICES, string>> = {
  live: 'Searches call it, and its offers can be booked.',
  canary: 'Only the given share of the searches shows its offers; the others call it after the answer, to compare.',
  shadow: 'Searches call it after the answer, only to compare; callers do not see it, and nothing new can be booked.',
  drain: 'No new searches, and nothing new can be booked.',
  maintenance:
    'No new searches, price checks or bookings; searches say that it is skipped. Ends by itself at the time above, and then the supplier is live.',
  configured: 'Returns to the state of its file.',
};

/** A reason that an operator gives: one line, shown to other operators. */
export const reasonField = z
  .string({ error: 'Enter a reason.' })
  .transform((text) => text.trim().replace(/\s+/g, ' '))
  .pipe(
    z
      .string()
      .min(3, 'Enter a reason. Other operators will see it.')
      .max(LONGEST_REASON, `Use at most ${LONGEST_REASON} characters.`)
      .refine((text) => !UNSEEN.test(text), 'Remove invisible characters.'),
  );

/** UTC, with 24 hours: 2027-01-31 16:00. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/;

/** A state switch. `until` is UTC, null = without an announced end, or another state; `percent` is 0 but for canary. */
export const switchForm = z
  .object({
    percent: z.string().default(''),
    state: z.enum(Object.keys(CHOICES) as [keyof typeof CHOICES], 'Choose a state.'),
    until: z.string().default(''),
    reason: reasonField,
    confirmed: z.literal('yes').optional(),
  })
  .transform((form, context) => {
    const { state, until: text } = form;
    const percent = state === 'canary' ? Number(form.percent) : 0;
    if (state === 'canary' && !/^[1-9]\d?$/.test(form.percent)) {
      context.addIssue({ code: 'custom', path: ['percent'], message: 'Enter a whole number from 1 to 99.' });
      return z.NEVER;
    }
    if (state !== 'maintenance' || text === '') return { ...form, percent, until: null };
    const until = new Date(TIME.test(text) ? `${text.replace(' ', 'T')}Z` : Number.NaN);
    if (!Number.isNaN(until.getTime()) && until.getTime() > Date.now()) return { ...form, percent, until };
    context.addIssue({
      code: 'custom',
      path: ['until'],
      message: 'Enter a future time in UTC such as 2027-01-31 16:00, or leave it empty.',
    });
    return z.NEVER;
  });

/** Asks for the new state and why; the next page shows the effect before anything changes. */
export function SwitchForm({ supplier, state, now }: { supplier: SupplierFacts; state: FormState; now: number }) {
  const [worst] = supplier.problems;
  const advice = worst && adviceOf(worst, supplier.problems);
  const recommended = advice?.isNow && advice.button !== supplier.state ? advice.button : undefined;
  const choices = Object.keys(CHOICES) as (keyof typeof CHOICES)[];
  const inAnHour = new Date(Math.ceil((now + 3_600_000) / 900_000) * 900_000)
    .toISOString()
    .slice(0, 16)
    .replace('T', ' ');
  return (
    <form
      id="switch"
      class="card switch"
      method="post"
      action={`/ops/suppliers/${encodeURIComponent(supplier.id)}/switch`}
    >
      <h2>Switch</h2>
      <FormProblem state={state} />
      <div class="columns">
        <Field state={state} name="reason" label="Reason" hint="Other operators see it." maxLength={LONGEST_REASON} />
        <Field
          state={state}
          name="percent"
          label="Canary: percent of searches"
          hint="1 to 99. Others copy their search, as in shadow."
          value="10"
          isOptional={true}
          maxLength={2}
        />
        <div class="field">
          <label for="until">Maintenance until (UTC)</label>
          <p class="hint" id="until-hint">
            24-hour clock, as 2027-01-31 16:00. At that time it ends by itself, and the supplier is live. Empty: until
            an operator ends it.
          </p>
          {state.problems?.until && <p class="problem">{state.problems.until}</p>}
          <input
            id="until"
            name="until"
            type="text"
            maxLength={19}
            value={state.typed?.until ?? inAnHour}
            aria-describedby="until-hint"
          />
        </div>
      </div>
      <ul class="choices">
        {choices.map((choice) => (
          <li key={choice} id={`switch-${choice}`}>
            <button
              class={choice === recommended ? '' : 'second'}
              type="submit"
              name="state"
              value={choice}
              disabled={choice === 'configured' && !supplier.isSet}
            >
              {CHOICES[choice]}…
            </button>{' '}
            <span class="hint">{CHOICE_LINES[choice]}</span>
          </li>
        ))}
      </ul>
      <p class="hint">
        Existing reservations are read, changed and canceled in every state, as long as the supplier responds. Nothing
        changes yet: the next page shows the effect.
      </p>
    </form>
  );
}

import { z } from 'zod';
import type { PolicyLimits, TierLimit } from '../../store/limits.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { count } from '../usage/words.js';
import { reasonField } from './switch-form.js';

/** The tiers of an application and its account, and those that operators may choose. */
export interface TierChoice {
  readonly tier: string;
  readonly accountTier: string;
  /** Names of all tiers of config/tiers.yaml. */
  readonly all: readonly string[];
  /** The limits of an application of `tier` whose account is of `accountTier`. */
  limitsOf(tier: string, accountTier: string): PolicyLimits;
}

/** The form that changes limits: the tiers of an application and its account, and why. */
export function limitsForm(tiers: readonly string[]) {
  const tier = z.enum([...tiers] as [string, ...string[]], `Choose one of ${tiers.join(', ')}.`);
  return z.object({ tier, account_tier: tier, limits_reason: reasonField });
}

/** The limits in words: of the application, then those that it shares with the others of its account. */
export function limitWords({ tier, accountTier, limitsOf }: TierChoice): string {
  const { application, account } = limitsOf(tier, accountTier);
  const shared = account ? `${words(account)} (tier ${accountTier})` : `no limits (tier ${accountTier})`;
  return `${words(application)} (tier ${tier}); all applications of its account together: ${shared}`;
}

/** Changes the limits of an application, and of its account. */
export function LimitsForm({
  applicationId,
  tiers,
  state,
}: {
  applicationId: string;
  tiers: TierChoice;
  state: FormState;
}) {
  const { tier, accountTier, all, limitsOf } = tiers;
  return (
    <form class="card" method="post" action={`/ops/applications/${applicationId}/limits`}>
      <h2>Limits</h2>
      <p class="quiet">
        New limits apply within a second, to existing tokens as well. The tiers are in config/tiers.yaml.
      </p>
      <FormProblem state={state} />
      <Tier state={state} name="tier" label="This application" all={all} current={tier}>
        {(one) => words(limitsOf(one, one).application)}
      </Tier>
      <Tier
        state={state}
        name="account_tier"
        label="All applications of its account together"
        all={all}
        current={accountTier}
      >
        {(one) => {
          const { account } = limitsOf(one, one);
          return account ? words(account) : 'no limits';
        }}
      </Tier>
      <Field state={state} name="limits_reason" label="Reason" hint="Other operators see it." maxLength={300} />
      <p class="actions">
        <button type="submit">Set the limits</button>
      </p>
    </form>
  );
}

function Tier({
  state,
  name,
  label,
  all,
  current,
  children,
}: {
  state: FormState;
  name: string;
  label: string;
  all: readonly string[];
  current: string;
  children: (tier: string) => string;
}) {
  const problem = state.problems?.[name];
  const chosen = state.typed?.[name] ?? current;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {problem && (
        <p class="problem" id={`${name}-problem`}>
          {problem}
        </p>
      )}
      <select id={name} name={name} aria-describedby={problem && `${name}-problem`}>
        {all.map((one) => (
          <option key={one} value={one} selected={one === chosen}>
            {one}: {children(one)}
          </option>
        ))}
      </select>
    </div>
  );
}

function words({ perMinute, burst, perDay }: TierLimit): string {
  const day = perDay === undefined ? '' : `, ${count(perDay)} per day`;
  return `${count(perMinute)} ${perMinute === 1 ? 'call' : 'calls'} per minute, bursts of ${count(burst)}${day}`;
}

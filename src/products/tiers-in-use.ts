import { z } from 'zod';
import type { Config } from '../config/config.schema.js';
import type { Tiers } from './policy.js';

/** The statement that counts, by tier, the applications of an environment and the accounts that can have or use them. */
export function tiersInUse(environment: Config['environment']): string {
  const own = (table: string) => `${table}.environment = '${environment}'`;
  // What deleted accounts and those of deleted applications had is never asked for.
  return `select tier, count(*)::int as count from (
      select a.tier from applications a where ${own('a')} and a.state <> 'deleted'
      union all select c.tier from accounts c where ${own('c')} and (c.email is not null
        or exists (select from applications a where a.account_id = c.id and a.state <> 'deleted'))) used
    group by tier order by tier`;
}

const rowsSchema = z.array(z.object({ tier: z.string(), count: z.number() }));

/** A sentence for each tier that rows of `tiersInUse` have and the file lacks: what has it is answered with a 500. */
export function lackedTiers(rows: readonly unknown[], { tiers }: Tiers): string[] {
  return rowsSchema
    .parse(rows)
    .filter(({ tier }) => !tiers.has(tier))
    .map(
      ({ tier, count }) =>
        `tiers.yaml: there is no tier "${tier}", which ${count} applications and accounts have; it has ${[...tiers.keys()].join(', ')}`,
    );
}

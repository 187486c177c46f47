import { z } from 'zod';
import type { Config } from '../config/config.schema.js';
import type { Tiers } from './policy.js';

/** The statement that counts the applications and accounts of an environment by tier, without deleted ones. */
export function tiersInUse(environment: Config['environment']): string {
  const own = `environment = '${environment}'`;
  return `select tier, count(*)::int as count from (
      select tier from applications where ${own} and state <> 'deleted'
      union all select tier from accounts where ${own} and erasing_since is null) used group by tier order by tier`;
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

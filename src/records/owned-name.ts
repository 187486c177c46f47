import { type SQL, sql } from 'drizzle-orm';

/**
 * The name of an application with that of its account: "Shop (Ada Sample)". Operators see the applications of all accounts, and many
 * are called alike, such as everyone's first one. Without an account, or if it has no other name, the application's alone. `name` and `accountId` are columns.
 */
export function ownedName(name: SQL, accountId: SQL): SQL {
  return sql`${name} || coalesce((select ' (' || owner.name || ')' from accounts owner
    where owner.id = ${accountId} and owner.name not in ('', ${name})), '')`;
}

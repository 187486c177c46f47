import { type SQL, sql } from 'drizzle-orm';

/**
 * The name of an application with that of its account: "Shop (Ada Sample)". Operators see the applications of all accounts, and many
 * have the same name, such as the first one of each account. Without an account, or if its name is the same, only the application's name. `name` and `accountId` are columns.
 */
export function ownedName(name: SQL, accountId: SQL): SQL {
  return sql`${name} || coalesce((select ' (' || owner.name || ')' from accounts owner
    where owner.id = ${accountId} and owner.name not in ('', ${name})), '')`;
}

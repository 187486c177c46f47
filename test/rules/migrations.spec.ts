import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../support/project.js';
import { brokenRules, RULES, type Rule } from './migration-rules.js';

const FOLDER = join(PROJECT, 'src', 'database', 'migrations');
/** Reviewed: by migration, the rules that it breaks, and why that is safe. */
const exceptions = JSON.parse(readFileSync(join(PROJECT, 'releases', 'migration-exceptions.json'), 'utf8')) as Record<
  string,
  { readonly rules: readonly Rule[]; readonly reason: string }
>;
const names = (
  JSON.parse(readFileSync(join(FOLDER, 'meta', '_journal.json'), 'utf8')) as { entries: { tag: string }[] }
).entries.map(({ tag }) => tag);

test.each(names)(
  'migration %s can run beside the previous version, or its exception says why it may break a rule',
  (name) => {
    const broken = brokenRules(readFileSync(join(FOLDER, `${name}.sql`), 'utf8'));
    const { rules, reason } = exceptions[name] ?? { rules: [], reason: 'none is needed' };
    const explained = (list: readonly Rule[]) => list.map((rule) => `${rule}: ${RULES[rule]}`);
    expect(explained(broken)).toEqual(explained(rules));
    expect(reason.length).toBeGreaterThan(10);
  },
);

test('every exception is for a migration of this build', () => {
  expect(Object.keys(exceptions).filter((name) => !names.includes(name))).toEqual([]);
});

const NEW = 'create table t (id int primary key); ';

test.each<[string, readonly Rule[]]>([
  ['create table t (id int primary key, a text not null references u (id))', []],
  [`${NEW}create index on t (id); alter table t alter id type bigint; create index on t (id)`, []],
  ['alter table t add a text', []],
  ["alter table t add a text not null default ''", []],
  ["alter table t add a text[] not null default '{}'::text[], add b timestamptz not null default now()", []],
  ['alter table t add constraint c check (a > 0) not valid', []],
  ['alter table t validate constraint c; alter table u validate constraint c', []],
  ['alter table t add constraint c unique using index i', []],
  ['alter table t alter a drop not null, alter b set default 1', []],
  ["insert into t values ('a')", []],
  ['drop index i', []],
  ['drop table t', ['removes']],
  ['drop view v', ['removes']],
  ['truncate t', ['removes']],
  ['alter table t drop a', ['removes']],
  ['alter table t drop constraint c', ['removes']],
  ['alter table t rename a to b', ['removes']],
  ['alter table t rename to u', ['removes']],
  ['alter table t add a text not null', ['requires']],
  ['alter table t alter a set not null', ['requires', 'checks']],
  ['alter table t alter a type bigint', ['rewrites']],
  ['alter table t add a uuid default gen_random_uuid()', ['rewrites']],
  ['alter table t add a bigserial', ['rewrites']],
  ['alter table t add a int generated always as (b + 1) stored', ['rewrites']],
  ['create index on t (a)', ['indexes']],
  ['create index on t (a); drop index i', ['indexes', 'rebuilds']],
  [`${NEW}create index on t (a); drop index i`, []],
  ['alter table t add constraint c check (a > 0)', ['checks']],
  ['alter table t add foreign key (a) references u (id)', ['checks']],
  ['alter table t add a text unique', ['checks']],
  ['update t set a = 1', ['changes_rows']],
  ['delete from t', ['changes_rows']],
  ['with d as (delete from t returning *) insert into u select * from d', ['changes_rows']],
  [`${NEW}alter table u add a text; alter table v add a text`, ['locks_several']],
  [`${NEW}alter table t add a text; alter table v add a text`, []],
  ["set lock_timeout = '1h'", ['sets']],
  ['do $$ begin execute 1; end $$', ['opaque']],
  ['lock table t', ['opaque']],
  ['alter table t set unlogged', ['opaque']],
  ['drop table t; alter table u alter a type bigint', ['removes', 'rewrites']],
])('the check of migrations: %s', (text, rules) => {
  expect(brokenRules(text)).toEqual(rules);
});

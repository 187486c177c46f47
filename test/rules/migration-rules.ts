import type { AlterTableCmd, ColumnDef, Constraint, Node, RangeVar } from 'libpg-query';
import { loadModule, parseSync } from 'libpg-query';

/** A rule that a migration breaks. */
export type Rule = keyof typeof RULES;

/** What is wrong with a migration, by rule, and what to write instead (docs/running.md#side-by-side). */
export const RULES = {
  removes: 'takes away what the previous version uses: remove it in a later release',
  requires: 'requires a value that the previous version does not write: add a default',
  rewrites: 'rewrites the table under a lock: add a column and fill it in parts',
  indexes: 'builds an index on an existing table, which blocks its writers: say why the table is small',
  rebuilds:
    'drops an index beside one that it builds, which is lost whenever the lock to drop is not free: use two migrations',
  checks: 'reads all rows under a lock: add the constraint NOT VALID, and validate it in the next migration',
  changes_rows: 'changes rows of an existing table in one transaction: change them in parts, in the gateway',
  locks_several: 'holds locks on several tables of the previous version: use one migration per table',
  sets: 'changes a setting: the gateway sets lock_timeout for every migration',
  opaque: 'is not read by this check: review it, and say why it is safe',
} as const;

/** A table that a statement locks against writers, and the rules that it breaks. */
interface Finding {
  readonly table?: string;
  readonly rules: readonly Rule[];
}

await loadModule();

/** The rules that the SQL of a migration breaks, in the order of RULES; empty = none. Throws if it isn't SQL. */
export function brokenRules(text: string): readonly Rule[] {
  const statements = (parseSync(text).stmts ?? []).flatMap(({ stmt }) => (stmt ? [stmt as Node] : []));
  const created = new Set(statements.flatMap((one) => ('CreateStmt' in one ? [nameOf(one.CreateStmt.relation)] : [])));
  const findings = statements
    .map(judge)
    .filter(({ table, rules }) => table === undefined || !created.has(table) || rules.includes('opaque'));
  const locked = new Set(findings.flatMap(({ table }) => (table === undefined ? [] : [table])));
  const broken = new Set(findings.flatMap(({ rules }) => rules));
  if (broken.has('indexes') && statements.some(dropsIndex)) broken.add('rebuilds');
  if (locked.size > 1) broken.add('locks_several');
  return (Object.keys(RULES) as Rule[]).filter((rule) => broken.has(rule));
}

/** Whatever isn't known to be harmless is opaque. */
function judge(statement: Node): Finding {
  if ('CreateStmt' in statement) return { rules: [] };
  if ('InsertStmt' in statement) return { rules: statement.InsertStmt.withClause ? ['changes_rows'] : [] };
  if ('IndexStmt' in statement) return { table: nameOf(statement.IndexStmt.relation), rules: ['indexes'] };
  if ('AlterTableStmt' in statement) {
    const { relation, cmds = [] } = statement.AlterTableStmt;
    const rules = cmds.flatMap((one) => ('AlterTableCmd' in one ? rulesOf(one.AlterTableCmd) : ['opaque' as const]));
    return isLockFree(cmds) ? { rules } : { table: nameOf(relation), rules };
  }
  if ('DropStmt' in statement) return { rules: dropsIndex(statement) ? [] : ['removes'] };
  if ('RenameStmt' in statement || 'TruncateStmt' in statement) return { rules: ['removes'] };
  if ('UpdateStmt' in statement) return { table: nameOf(statement.UpdateStmt.relation), rules: ['changes_rows'] };
  if ('DeleteStmt' in statement) return { table: nameOf(statement.DeleteStmt.relation), rules: ['changes_rows'] };
  if ('VariableSetStmt' in statement) return { rules: ['sets'] };
  return { rules: ['opaque'] };
}

function dropsIndex(statement: Node): boolean {
  return 'DropStmt' in statement && statement.DropStmt.removeType === 'OBJECT_INDEX';
}

function rulesOf({ subtype, def }: AlterTableCmd): readonly Rule[] {
  switch (subtype) {
    case 'AT_AddColumn':
      return def && 'ColumnDef' in def ? rulesOfColumn(def.ColumnDef) : ['opaque'];
    case 'AT_AddConstraint':
      return def && 'Constraint' in def && isUnchecked(def.Constraint) ? [] : ['checks'];
    case 'AT_ValidateConstraint':
    case 'AT_DropNotNull':
    case 'AT_ColumnDefault':
      return [];
    case 'AT_DropColumn':
    case 'AT_DropConstraint':
      return ['removes'];
    case 'AT_SetNotNull':
      return ['requires', 'checks'];
    case 'AT_AlterColumnType':
      return ['rewrites'];
    default:
      return ['opaque'];
  }
}

function rulesOfColumn({ constraints = [], typeName }: ColumnDef): readonly Rule[] {
  const own = constraints.flatMap((one) => ('Constraint' in one ? [one.Constraint] : []));
  const has = (type: NonNullable<Constraint['contype']>) => own.some(({ contype }) => contype === type);
  const value = own.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
  const type = typeName?.names?.map((name) => ('String' in name ? name.String.sval : '')).at(-1) ?? '';
  return [
    ...(has('CONSTR_NOTNULL') && value === undefined ? (['requires'] as const) : []),
    ...(has('CONSTR_GENERATED') || type.endsWith('serial') || (value && !isConstant(value))
      ? (['rewrites'] as const)
      : []),
    ...(has('CONSTR_UNIQUE') || has('CONSTR_CHECK') || has('CONSTR_FOREIGN') ? (['checks'] as const) : []),
  ];
}

/** PostgreSQL stores such a default once; any other function is called for every row. */
function isConstant(value: Node): boolean {
  if ('TypeCast' in value) return value.TypeCast.arg !== undefined && isConstant(value.TypeCast.arg);
  if ('FuncCall' in value)
    return value.FuncCall.funcname?.some((name) => 'String' in name && name.String.sval === 'now') ?? false;
  return 'A_Const' in value;
}

function isUnchecked({ skip_validation, indexname }: Constraint): boolean {
  return skip_validation === true || indexname !== undefined;
}

/** Validating lets rows be read and written. */
function isLockFree(commands: readonly Node[]): boolean {
  return commands.every((one) => 'AlterTableCmd' in one && one.AlterTableCmd.subtype === 'AT_ValidateConstraint');
}

function nameOf(relation: RangeVar | undefined): string {
  return relation?.relname ?? '';
}

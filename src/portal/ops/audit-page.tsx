import type { ComponentChildren } from 'preact';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { CardTable, type Column } from '../shell/card-table.js';
import { FilterForm, filteredPath } from '../shell/filters.js';
import { utc } from '../shell/moment.js';
import { count } from '../usage/words.js';
import type { ChainCheck, NamedChange } from './audit-trail.service.js';
import { changeText } from './change-text.js';
import { opsPage } from './ops-page.js';

/** The filters as entered. */
type AuditTyped = Partial<Record<'actor' | 'action' | 'subject' | 'request' | 'since' | 'before', string | undefined>>;

interface AuditShown {
  readonly typed: AuditTyped;
  /** One more than a page if there are more. */
  readonly found: readonly NamedChange[];
  readonly pageSize: number;
  /** Undefined = not asked for. */
  readonly check: ChainCheck | undefined;
}

/** Changes with who, what, before and after, why and when, newest first. */
export function auditPage(visitor: Visitor, { typed, found, pageSize, check }: AuditShown): Answer {
  const shown = found.slice(0, pageSize);
  const last = shown.at(-1)?.id;
  return opsPage(
    { title: 'Audit', visitor, area: '/ops/audit' },
    <>
      <h1>Audit</h1>
      <FilterForm
        action="/ops/audit"
        typed={typed}
        filters={[
          { name: 'actor', label: 'Who (account id, ops or system)' },
          { name: 'action', label: 'Action' },
          { name: 'subject', label: 'Subject (id)' },
          { name: 'request', label: 'Request id' },
          { name: 'since', label: 'Since (UTC)', type: 'date' },
        ]}
      />
      {check ? <Check check={check} /> : <VerifyLink />}
      {shown.length === 0 ? <p class="card">No changes match these filters.</p> : <Changes shown={shown} />}
      {found.length > pageSize && last !== undefined && (
        <p class="actions">
          <a
            class="button second"
            href={filteredPath('/ops/audit', { ...typed, before: last ?? undefined })}
            rel="next"
          >
            Older
          </a>
        </p>
      )}
    </>,
  );
}

function VerifyLink() {
  return (
    <p class="quiet">
      Each change has a seal in a chain of hashes. <a href="/ops/audit?verify=yes">Verify the newest</a>, or all of them
      with <code>gw audit verify</code>. <a href="/ops/audit/export">Download the log</a> (NDJSON).
    </p>
  );
}

function Check({ check: { events, head, problem } }: { check: ChainCheck }) {
  return (
    <p class="card" role="status">
      {problem === undefined ? (
        <>
          <span class="badge good">Unaltered</span> The newest {count(events)} changes agree with their seals
          {head !== undefined && `, up to seal ${head}`}. <code>gw audit verify</code> verifies all.
        </>
      ) : (
        <>
          <span class="badge bad">Altered</span> {problem}
        </>
      )}
    </p>
  );
}

const COLUMNS: readonly Column[] = [
  { name: 'Time', kind: 'instant' },
  { name: 'Who' },
  { name: 'Action' },
  { name: 'Subject' },
  { name: 'Before → after', kind: 'change' },
  { name: 'Reason', kind: 'change' },
  { name: 'From' },
  { name: 'Seal', kind: 'number' },
];

function Changes({ shown }: { shown: readonly NamedChange[] }) {
  return (
    <CardTable
      label="Changes"
      columns={COLUMNS}
      rows={shown.map((change) => ({ key: change.id ?? '', cells: cellsOf(change) }))}
    />
  );
}

function cellsOf(change: NamedChange): readonly ComponentChildren[] {
  const { at, actor, who, action, subject, before, after, reason, channel, agent, sequence } = change;
  return [
    utc(at),
    <a href={filteredPath('/ops/audit', { actor })}>{who}</a>,
    action.replaceAll('_', ' '),
    <>
      <Subject change={change} /> <a href={filteredPath('/ops/audit', { subject })}>all</a>
    </>,
    changeText(before, after) || '–',
    reason ?? '–',
    <>
      {[channel, agent]
        .filter((part) => part !== null)
        .join(' ')
        .replaceAll('_', ' ') || '–'}
      <RequestLink id={change.request_id} />
    </>,
    sequence ?? <span class="badge bad">none</span>,
  ];
}

function RequestLink({ id }: { id: string | null }) {
  return id === null ? null : (
    <>
      {', '}
      <a href={filteredPath('/ops/audit', { request: id })}>request</a>
    </>
  );
}

/** Pages of operators by kind of subject. */
const PAGES: Readonly<Record<string, string>> = {
  application: '/ops/applications',
  reservation: '/ops/reservations',
  supplier: '/ops/suppliers',
};

function Subject({ change: { subject, subject_kind: kind } }: { change: NamedChange }) {
  const page = PAGES[kind ?? ''];
  if (page === undefined) return <code>{subject}</code>;
  return (
    <a href={`${page}/${encodeURIComponent(subject)}`}>
      <code>{subject}</code>
    </a>
  );
}

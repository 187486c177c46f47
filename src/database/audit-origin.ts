import { AsyncLocalStorage } from 'node:async_hooks';

/** A person whose session sent a form. */
export interface SessionActor {
  readonly accountId: string;
  /** The role of the account when the request began. */
  readonly role?: 'developer' | 'ops';
  /** `generation` is that of the account when the session began. */
  readonly session: { readonly generation: number };
}

/** How a change is made, and from where. */
export interface AuditOrigin {
  readonly channel: 'page' | 'command' | 'admin_api';
  /** The person who runs a command from a page, and makes its changes (changeBy); undefined = the actor of the command, `ops`. */
  readonly person?: SessionActor | undefined;
  /** For a command, the user of the operating system; for a call, the id of its key. */
  readonly agent?: string | undefined;
  /** IP address of the client. */
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
  /** Why, in the words of the person who makes the change. */
  readonly reason?: string | undefined;
  /** Gets what is recorded. */
  readonly recorded?: RecordedChange[];
}

/** A change as it was recorded. `before` and `after` are JSON values. */
export interface RecordedChange {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly subjectKind: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly reason: string | null;
}

const current = new AsyncLocalStorage<AuditOrigin>();

/** Runs `work`; what it records in the audit log has this origin. */
export function withOrigin<T>(origin: AuditOrigin, work: () => T): T {
  return current.run(origin, work);
}

/** The origin of what runs now; undefined for the gateway's own work. */
export function auditOrigin(): AuditOrigin | undefined {
  return current.getStore();
}

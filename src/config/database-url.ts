/** A PostgreSQL server of a `DATABASE_URL`. */
export interface DatabaseServer {
  /** Host and port as in the URL, to name it to people; the complete URL has the password. */
  readonly name: string;
  /** A URL for this server alone. */
  readonly url: string;
}

/** What `DATABASE_URL` points to (docs/cluster.md#postgresql-with-a-standby). */
export interface DatabaseAddress {
  /** In the order of the URL, at least one. */
  readonly servers: readonly DatabaseServer[];
  /** Only a server that accepts writes is used. Always so with several servers. */
  readonly needsWrites: boolean;
}

const FORMS =
  'postgresql://user:password@host:port/database and, with several hosts, postgresql://user:password@host:port,host:port/database?target_session_attrs=read-write';
const UNREADABLE = 'is not a URL; percent-encode special characters of user and password';
const MOST_HOSTS = 10;
const HOST = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?$/;

/**
 * Reads a `DATABASE_URL` in the form of libpq. A URL with one host is left to the driver, if it can read it. Throws an Error that says what
 * is wrong and which forms are allowed, without repeating the URL.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const [, start = '', login = '', hosts, rest = ''] =
    /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url) ?? [];
  const list = hosts?.split(',') ?? [];
  const query = new URLSearchParams(/\?([^#]*)/.exec(rest)?.[1]);
  const needsWrites = needsWritesOf(query);
  if (['host', 'hostaddr', 'port'].some((name) => query.get(name)?.includes(',')))
    throw fault('lists hosts in a parameter');
  if (list.length < 2) {
    if (start !== '' && !isReadable(url, rest)) throw fault(UNREADABLE);
    return { servers: [{ name: hosts || 'the database', url }], needsWrites };
  }
  if (list.length > MOST_HOSTS) throw fault(`names more than ${MOST_HOSTS} hosts`);
  if (['host', 'hostaddr', 'port'].some((name) => query.has(name))) throw fault('names hosts twice');
  if (!needsWrites) throw fault('names several hosts without target_session_attrs=read-write');
  for (const host of list) checkHost(host);
  const servers = list.map((name) => ({ name, url: `${start}${login}${name}${rest}` }));
  if (!servers.every((server) => URL.canParse(server.url))) throw fault(UNREADABLE);
  return { servers, needsWrites };
}

/**
 * Whether the driver finds the parts of a URL with one host where they were meant. A `/` in a password ends the host: what follows has
 * the `@`. Without a host, which a parameter may name, a URL with a user is none by the standard.
 */
function isReadable(url: string, rest: string): boolean {
  return !/^[^?]*@/.test(rest) && URL.canParse(url.replace('@/', '@host/'));
}

function needsWritesOf(query: URLSearchParams): boolean {
  const [value = 'any', ...more] = query.getAll('target_session_attrs');
  if (more.length > 0 || !['any', 'read-write'].includes(value))
    throw fault('has a target_session_attrs that is neither read-write nor any');
  return value === 'read-write';
}

function checkHost(host: string): void {
  const [, port = '5432'] = HOST.exec(host) ?? [undefined, ''];
  if (port === '') throw fault('has a host that is not host:port');
  if (Number(port) < 1 || Number(port) > 65_535) throw fault('has a port that is not from 1 to 65535');
}

function fault(reason: string): Error {
  return new Error(`${reason}; allowed are ${FORMS}`);
}

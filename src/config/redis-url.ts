/** A host and port. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** User and password of the data nodes; absent = none. */
interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
}

/**
 * What `REDIS_URL` points to (docs/cluster.md#redis): one server, the servers that Sentinels watch, or a Redis Cluster.
 * `nodes` is never empty: the Sentinels, or nodes of the cluster from which the others are found.
 */
export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | ({
      readonly kind: 'sentinel';
      readonly nodes: readonly RedisNode[];
      /** The name under which the Sentinels know the master. */
      readonly master: string;
      readonly database: number;
      readonly tls: boolean;
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    } & RedisLogin)
  | ({ readonly kind: 'cluster'; readonly nodes: readonly RedisNode[]; readonly tls: boolean } & RedisLogin);

const FORMS =
  'redis://host:port, redis+sentinel://host:port,host:port/master or redis+cluster://host:port,host:port (rediss… with TLS)';
const SENTINEL_PORT = 26_379;
const CLUSTER_PORT = 6_379;
const MOST_NODES = 100;

/** Reads a `REDIS_URL`. Throws an Error that says what is wrong and which forms are allowed, without repeating the URL. */
export function parseRedisUrl(url: string): RedisAddress {
  const [scheme = '', ...rest] = url.split('://');
  if (scheme === 'redis' || scheme === 'rediss') {
    if (!URL.canParse(url)) throw fault(url.includes(',') ? 'names several hosts without a kind' : 'is not a URL');
    if (new URL(url).hostname === '') throw fault('has no host');
    return { kind: 'single', url };
  }
  const [, secure, kind] = /^redis(s?)\+(sentinel|cluster)$/.exec(scheme) ?? [];
  if (kind === undefined) throw fault('has an unknown scheme');
  const { hosts, shared } = splitHosts(rest.join('://'));
  const tls = secure === 's';
  const login = loginOf(shared);
  const nodes = nodesOf(hosts, kind === 'cluster' ? CLUSTER_PORT : SENTINEL_PORT);
  if (kind === 'cluster') return { kind, nodes, tls, ...login, ...onlyRoot(shared) };
  return { kind: 'sentinel', nodes, tls, ...login, ...masterOf(shared), ...sentinelLoginOf(shared) };
}

/** The list of hosts, and a URL with everything else. */
function splitHosts(text: string): { readonly hosts: string; readonly shared: URL } {
  const [authority = ''] = text.split(/[/?#]/, 1);
  const hostsAt = authority.lastIndexOf('@') + 1;
  const shared = `redis://${authority.slice(0, hostsAt)}hosts${text.slice(authority.length)}`;
  if (!URL.canParse(shared)) throw fault('is not a URL; percent-encode special characters of user and password');
  return { hosts: authority.slice(hostsAt), shared: new URL(shared) };
}

function nodesOf(hosts: string, defaultPort: number): RedisNode[] {
  const nodes = hosts.split(',');
  if (nodes.length > MOST_NODES) throw fault(`names more than ${MOST_NODES} hosts`);
  return nodes.map((node) => {
    if (!/^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/.test(node)) throw fault('has a host that is not host:port');
    const [, port] = /:(\d+)$/.exec(node) ?? [];
    const number = node.endsWith(']') || port === undefined ? defaultPort : Number(port);
    if (number < 1 || number > 65_535) throw fault('has a port that is not from 1 to 65535');
    return { host: node.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''), port: number };
  });
}

function loginOf({ username, password }: URL): RedisLogin {
  return {
    ...(username === '' ? {} : { username: decoded(username) }),
    ...(password === '' ? {} : { password: decoded(password) }),
  };
}

function masterOf({ pathname }: URL): { readonly master: string; readonly database: number } {
  const [, name = '', database = '0', ...more] = pathname.split('/');
  if (name === '') throw fault('lacks the name of the master after the Sentinels');
  if (more.length > 0 || !/^\d{1,4}$/.test(database)) throw fault('has a path that is not /master or /master/database');
  return { master: decoded(name), database: Number(database) };
}

function sentinelLoginOf({ searchParams }: URL): {
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
} {
  const allowed = ['sentinelUsername', 'sentinelPassword'];
  if ([...searchParams.keys()].some((name) => !allowed.includes(name)))
    throw fault('has a parameter that is neither sentinelUsername nor sentinelPassword');
  return Object.fromEntries(searchParams);
}

/** A cluster has one database and no parameters. */
function onlyRoot({ pathname, search }: URL): Record<string, never> {
  if (!['', '/'].includes(pathname) || search !== '')
    throw fault('has a path or parameters, which a Redis Cluster does not have');
  return {};
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new Error(fault('has a part that is not percent-encoded correctly').message, { cause: error });
  }
}

function fault(reason: string): Error {
  return new Error(`${reason}; allowed are ${FORMS}`);
}

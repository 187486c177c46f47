import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const HOSTS_FILE = '/etc/hosts';

/** The second try takes twice as long: 3 s in total. */
const TRIES = { timeout: 1_000, tries: 2 };

/** How long to wait for IPv6 addresses when there are IPv4 addresses (RFC 8305 §3). */
const RESOLUTION_DELAY_MS = 50;

/**
 * Looks up the addresses of suppliers. The operating system's lookup runs in two threads of the process, so a supplier
 * whose name server doesn't answer would delay the connections to all others. Therefore names with a dot are sent to
 * the name servers of the machine directly, as absolute names (search domains don't apply), without a thread. Only
 * names that the operator's own network answers, those in the hosts file and those without a dot, are left to the
 * operating system. Connections to a host share its lookup.
 *
 * The callback receives the addresses, IPv4 first, or an error: that of the operating system, or of the name server
 * (ENOTFOUND or ENODATA without an address, ETIMEOUT after 3 s). `servers`: name servers instead of those of the
 * machine, `address:port` (for tests).
 */
export function hostLookup(servers?: readonly string[]): LookupFunction {
  const running = new Map<string, Promise<LookupAddress[]>>();
  const resolver = new Resolver(TRIES);
  if (servers) resolver.setServers(servers);

  const shared = (name: string): Promise<LookupAddress[]> => {
    const known = running.get(name);
    if (known) return known;
    const started = addressesOf(resolver, name).finally(() => running.delete(name));
    running.set(name, started);
    return started;
  };
  return (hostname, { all }, callback) => {
    shared(hostname.toLowerCase()).then(
      (addresses) => {
        const [first] = addresses;
        if (all || !first) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

async function addressesOf(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  if (!name.includes('.') || (await isInHostsFile(name))) return systemLookup(name);
  const askedV6 = resolver.resolve6(name).catch((): string[] => []);
  const v4 = await resolver.resolve4(name).catch((error: unknown) => ({ error }));
  const found = Array.isArray(v4) ? v4 : [];
  const v6 = await (found.length > 0 ? Promise.race([askedV6, wait(RESOLUTION_DELAY_MS, [])]) : askedV6);
  const addresses = [
    ...found.map((address) => ({ address, family: 4 })),
    ...v6.map((address) => ({ address, family: 6 })),
  ];
  // A name server may answer with an alias and no address. Node.js expects one address at least.
  if (addresses.length === 0) throw Array.isArray(v4) ? noAddress(name) : v4.error;
  return addresses;
}

function noAddress(name: string): Error {
  return Object.assign(new Error(`the name server has no address for ${name}`), { code: 'ENODATA', hostname: name });
}

function systemLookup(name: string): Promise<LookupAddress[]> {
  return lookup(name, { all: true, order: 'ipv4first' });
}

/** The file is read each time: connections are rare, and operators change it while a gateway runs. */
async function isInHostsFile(name: string): Promise<boolean> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text
    .split('\n')
    .some((line) => line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/).slice(1).includes(name));
}

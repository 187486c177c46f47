import { createSecretKey, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { BlockList, connect as connectTcp, isIP, isIPv6 } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { connect as connectTls, createSecureContext, TLSSocket } from 'node:tls';
import type { Config } from '../config/config.schema.js';
import { hasOutbox } from '../config/outbox-rules.js';
import { hasAllOfIpv4 } from '../config/proxy-range.js';
import { keySummaries } from '../config/sealed-text.js';
import { withoutPassword } from '../config/setting-sources.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { type Finding, fine, reasonOf, wrong } from './finding.js';

const REACH_MS = 1_000;
const DAY_MS = 86_400_000;
/** A certificate that ends sooner should have been renewed: most are a month before. */
const CERTIFICATE_DAYS = 14;
/** The embedded database, the journal of bookings and its log need this much for a busy day. */
const LEAST_FREE_BYTES = 1_000_000_000;

/** Checks that the adapter of each supplier that isn't off can be created and that its address is reachable. */
export function checkSuppliers(config: Config, suppliers: readonly SupplierConfig[]): Promise<Finding[]> {
  const used = suppliers.filter(({ state }) => state !== 'off');
  if (used.length > 0) return Promise.all(used.map((supplier) => checkSupplier(config, supplier)));
  const todo = `add a file with environments: [${config.environment}] and state: live to suppliers/`;
  return Promise.resolve([wrong('suppliers', `no supplier is enabled in the environment ${config.environment}`, todo)]);
}

async function checkSupplier({ simulators }: Config, supplier: SupplierConfig): Promise<Finding> {
  const subject = `supplier ${supplier.id}`;
  const variable = `SUPPLIER_${supplier.id.toUpperCase()}_URL`;
  try {
    createAdapter(supplier);
  } catch (error) {
    return wrong(subject, reasonOf(error), `correct suppliers/${supplier.id}.yaml`);
  }
  if (supplier.url === undefined) {
    return simulators.embedded && supplier.simulator
      ? fine(subject, `${supplier.adapter}, ${supplier.state}; the gateway starts its simulator`)
      : wrong(
          subject,
          'has no url and its simulator is not started',
          `set ${variable}, or set state: off in suppliers/${supplier.id}.yaml`,
        );
  }
  try {
    const expiresMs = await reach(new URL(supplier.url));
    const found = `${supplier.adapter}, ${supplier.state}; ${withoutPassword(supplier.url)} is reachable`;
    return expiresMs === undefined ? fine(subject, found) : certificateFinding(subject, found, expiresMs, Date.now());
  } catch (error) {
    const todo = `correct ${variable} or url in suppliers/${supplier.id}.yaml, allow connections to it, or set state: maintenance`;
    return wrong(subject, `${withoutPassword(supplier.url)} is not reachable: ${reasonOf(error)}`, todo);
  }
}

/** `expiresMs`: the end of the supplier's certificate; both in epoch milliseconds. */
export function certificateFinding(subject: string, found: string, expiresMs: number, now: number): Finding {
  const day = new Date(expiresMs).toISOString().slice(0, 10);
  if (expiresMs > now + CERTIFICATE_DAYS * DAY_MS)
    return fine(subject, `${found}; its certificate is valid until ${day}`);
  const days = Math.max(0, Math.floor((expiresMs - now) / DAY_MS));
  return wrong(
    subject,
    `its certificate expires in ${days} days, on ${day}`,
    'ask the supplier to renew it: afterwards, every call fails',
  );
}

/**
 * Connects and, for https, checks the certificate; resolves with its end, epoch milliseconds, or undefined without one.
 * Sends no request because a supplier may count or bill calls.
 */
function reach({ protocol, hostname, port }: URL): Promise<number | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:';
  return new Promise((done, fail) => {
    const socket = secure
      ? connectTls({ host, port: Number(port || 443), ...(isIP(host) === 0 ? { servername: host } : {}) })
      : connectTcp({ host, port: Number(port || 80) });
    const timer = setTimeout(() => socket.destroy(new Error(`no connection within ${REACH_MS} ms`)), REACH_MS);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      done(socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : undefined);
      socket.destroy();
    });
    socket.once('error', fail);
    socket.once('close', () => clearTimeout(timer));
  });
}

/** The private networks of IPv6 that are larger than a /16, with their bits. */
const PRIVATE = (
  [
    ['fc00::', 7],
    ['fe80::', 10],
  ] as const
).map(([address, bits]) => {
  const addresses = new BlockList();
  addresses.addSubnet(address, bits, 'ipv6');
  return { addresses, bits };
});

/**
 * Whether a range is larger than 10.0.0.0/8 or, of public IPv6 addresses, a /16: no network of proxies is. Also if what follows the
 * address isn't a number of bits.
 */
function isWide(range: string): boolean {
  const [address = '', bits] = range.split('/');
  if (bits === undefined) return false;
  if (hasAllOfIpv4(range)) return true;
  const isV6 = isIPv6(address);
  const own = isV6 ? PRIVATE.find(({ addresses }) => addresses.check(address, 'ipv6')) : undefined;
  return !/^\d+$/.test(bits) || Number(bits) < (own?.bits ?? (isV6 ? 16 : 8));
}

/** Checks which clients the gateway trusts to set X-Forwarded-For. */
export function checkTrust({ http: { trustedProxies } }: Config): Finding[] {
  const anyAddress = trustedProxies.filter(isWide);
  if (anyAddress.length === 0) {
    return [
      fine(
        'proxies',
        trustedProxies.length === 0
          ? 'X-Forwarded-For is ignored'
          : `X-Forwarded-For is trusted from ${trustedProxies.join(', ')}`,
      ),
    ];
  }
  return [
    wrong(
      'proxies',
      `${anyAddress.join(', ')} trusts X-Forwarded-For from addresses that aren't yours`,
      'list only the addresses of your proxies in TRUSTED_PROXIES',
    ),
  ];
}

/** Checks the lists of keys, as the start does; it needs no secret and creates none. */
export function checkKeyLists(config: Config): Finding[] {
  try {
    keySummaries(config, () => createSecretKey(randomBytes(32)));
    return [];
  } catch (error) {
    return [wrong('keys', reasonOf(error), 'correct the list of keys')];
  }
}

/** Checks that the admin API can be opened with its certificate and key. */
export function checkAdminTls({ admin: { port, tls } }: Config): Finding[] {
  try {
    if (port !== undefined && tls)
      createSecureContext({ cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) });
    return [];
  } catch (error) {
    const todo = 'correct ADMIN_TLS_CERT_FILE and ADMIN_TLS_KEY_FILE: a certificate and its key, as PEM';
    return [wrong('admin API', reasonOf(error), todo)];
  }
}

/** Checks how the developer platform sends email. */
export function checkMail(config: Config): Finding[] {
  const { smtpUrl } = config.mail;
  if (smtpUrl !== undefined) return [fine('mail', `${withoutPassword(smtpUrl)}; not tested`)];
  if (hasOutbox(config))
    return [
      fine('mail', 'no SMTP server: anyone with the link to the outbox, which npm start prints, can read all email'),
    ];
  // The start checks report it.
  if (config.environment === 'sandbox') return [];
  const found = "no SMTP server: email isn't delivered, so developers can't set a password to see their credentials";
  return [wrong('mail', found, 'set SMTP_URL')];
}

/** Checks that the data folder is writable and reports which process locks it. */
export function checkDataFolder({ dataFolder }: Config): Finding[] {
  const folder = resolve(dataFolder);
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    // Write for real: for root, every folder seems writable.
    rmdirSync(mkdtempSync(join(existing, '.doctor-')));
  } catch (error) {
    return [
      wrong(
        'data folder',
        `${folder} is not writable: ${reasonOf(error)}`,
        "allow the gateway's user to write to the folder, or choose another one with DATA_DIR",
      ),
    ];
  }
  const lock = join(folder, 'database.lock');
  const holder = existsSync(lock) ? `; locked by process ${readFileSync(lock, 'utf8')}` : '; not locked';
  return [fine('data folder', `${folder} is writable${holder}`)];
}

/** Checks that the data folder has room for the database, the journal of bookings and keys. */
export async function checkSpace({ dataFolder }: Config): Promise<Finding[]> {
  let folder = resolve(dataFolder);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize, blocks } = await statfs(folder);
  // A file system without blocks, such as /proc, isn't a disk.
  return blocks === 0 ? [] : [spaceFinding(bavail * bsize)];
}

/** `freeBytes`: free for the gateway's user. */
export function spaceFinding(freeBytes: number): Finding {
  const found = `${(freeBytes / 1e9).toFixed(1)} GB free for the data folder`;
  const todo = 'free some, or move DATA_DIR: without space, bookings are refused';
  return freeBytes < LEAST_FREE_BYTES ? wrong('disk', found, todo) : fine('disk', found);
}

/** Checks that the master secret is set if several gateways must share it. */
export function checkSecret({ secret, secretFile, otherSecret, redisUrl, databaseUrl, dataFolder }: Config): Finding[] {
  if (secret !== undefined || secretFile !== undefined) {
    const variable = secret === undefined ? 'FORECOURT_SECRET_FILE' : 'FORECOURT_SECRET';
    const age = secret === undefined && secretFile !== undefined ? ageOf(secretFile) : '';
    const other = otherSecret === undefined ? '' : '; what FORECOURT_OTHER_SECRET made is accepted as well';
    const found = `${variable} is set${age}; all gateways that share Redis or PostgreSQL must use the same value${other}`;
    return [fine('secret', found)];
  }
  if (redisUrl === undefined && databaseUrl === undefined)
    return [fine('secret', `generated in the data folder${ageOf(join(dataFolder, 'secret'))}, for this gateway only`)];
  const found = 'FORECOURT_SECRET is not set, but Redis or PostgreSQL is shared: each gateway would generate its own';
  return [wrong('secret', found, 'set the same FORECOURT_SECRET (openssl rand -base64 32) for all gateways')];
}

/** The age of a file for a sentence; empty if it doesn't exist. */
function ageOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `, ${Math.floor((Date.now() - found.mtimeMs) / DAY_MS)} days old` : '';
}

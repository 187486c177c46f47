import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key with its certificate, as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** An authority that the gateway trusts (a file for NODE_EXTRA_CA_CERTS), and two certificates for 127.0.0.1 from it. */
export interface Certificates {
  readonly authorityFile: string;
  readonly valid: Certificate;
  /** Expired yesterday. */
  readonly expired: Certificate;
}

const DAY_MS = 86_400_000;
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Makes them in a new folder. Throws if openssl is not installed. */
export function makeCertificates(folder: string): Certificates {
  mkdirSync(folder, { recursive: true });
  const openssl = (...words: readonly string[]): void => {
    execFileSync('openssl', [...words], { cwd: folder, stdio: 'pipe' });
  };
  openssl('req', '-x509', ...EC, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '3', '-subj', '/CN=Drill');
  openssl('req', '-new', ...EC, '-keyout', 'own.key', '-out', 'own.csr', '-subj', '/CN=127.0.0.1');
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'serial'), '01');
  writeFileSync(
    join(folder, 'ca.conf'),
    `[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ncertificate=ca.pem\nprivate_key=ca.key\n` +
      `default_md=sha256\npolicy=any\nunique_subject=no\nx509_extensions=names\n[any]\ncommonName=supplied\n[names]\nsubjectAltName=IP:127.0.0.1\n`,
  );
  const sign = (file: string, fromDays: number, toDays: number): Certificate => {
    const [start, end] = [fromDays, toDays].map(opensslDate);
    openssl(
      'ca',
      '-batch',
      '-config',
      'ca.conf',
      '-in',
      'own.csr',
      '-out',
      file,
      '-notext',
      '-startdate',
      start ?? '',
      '-enddate',
      end ?? '',
    );
    return { key: readFileSync(join(folder, 'own.key'), 'utf8'), cert: readFileSync(join(folder, file), 'utf8') };
  };
  return {
    authorityFile: join(folder, 'ca.pem'),
    valid: sign('valid.pem', -30, 60),
    expired: sign('expired.pem', -30, -1),
  };
}

function opensslDate(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
}

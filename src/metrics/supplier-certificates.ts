import { Gauge } from 'prom-client';
import { metrics } from './metrics.js';

/** By supplier, epoch milliseconds. A supplier has one address, so there are as many as suppliers. */
const ends = new Map<string, number>();

new Gauge({
  name: 'forecourt_supplier_certificate_expiry_timestamp_seconds',
  help: 'When the certificate that the supplier showed in the last TLS handshake expires, as seconds since 1970. Absent without TLS.',
  aggregator: 'min',
  labelNames: ['supplier'] as const,
  registers: [metrics],
  collect() {
    for (const [supplier, endMs] of ends) this.set({ supplier }, endMs / 1_000);
  },
});

/** Notes until when a certificate is valid, as OpenSSL prints it ("Nov 23 20:00:00 2026 GMT"); ignores what is not a time. */
export function noteCertificate(supplier: string, validTo: string): void {
  const endMs = Date.parse(validTo);
  if (!Number.isNaN(endMs)) ends.set(supplier, endMs);
}

/** The end of a supplier's certificate, epoch milliseconds; undefined = this process made no TLS connection to it. */
export function certificateEnd(supplier: string): number | undefined {
  return ends.get(supplier);
}

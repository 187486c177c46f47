import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Finding, fine, reasonOf, wrong } from './finding.js';

const MOST_MS = 5_000;
const PATH = '/oauth/token/v1';

const refusal = z.object({
  status: z.object({
    errors: z.tuple([z.object({ reason: z.string(), field: z.string().optional() })]).rest(z.unknown()),
  }),
});

/** One answer of the token operation to invalid credentials. */
interface Probe {
  readonly status: number;
  /** Undefined if the answer is not from a gateway. */
  readonly error: { readonly reason: string; readonly field?: string | undefined } | undefined;
  /** Calls left for the address that the gateway attributes to us. */
  readonly left: string | null;
}

/**
 * Calls the token operation through the public address with invalid credentials and different X-Forwarded-For headers.
 * The answers show whether client_id arrives and whether a caller's X-Forwarded-For is trusted.
 */
export async function checkProxy(url: string): Promise<Finding[]> {
  const subject = 'public address';
  const clientId = `doctor-${randomBytes(6).toString('hex')}`;
  let probes: Probe[];
  try {
    const target = new URL(PATH.slice(1), url.endsWith('/') ? url : `${url}/`);
    probes = await Promise.all([1, 2, 3, 4].map((number) => probe(target, clientId, `203.0.113.${number}`)));
  } catch (error) {
    const why = reasonOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
    return [wrong(subject, `${url} does not answer: ${why}`, 'correct --url, or start the proxy and the gateway')];
  }
  const [first] = probes;
  if (first === undefined || first.error === undefined) {
    return [
      wrong(
        subject,
        `${url} is not a gateway: it answered ${first?.status} in another format`,
        'route it to the gateways',
      ),
    ];
  }
  return [headerFinding(subject, first), ...claimFinding(subject, probes)];
}

async function probe(target: URL, clientId: string, claimed: string): Promise<Probe> {
  const headers = { client_id: clientId, client_secret: 'wrong', 'x-forwarded-for': claimed };
  const answer = await fetch(target, { headers, redirect: 'manual', signal: AbortSignal.timeout(MOST_MS) });
  const text = await answer.text();
  const parsed = refusal.safeParse(json(text));
  return {
    status: answer.status,
    error: parsed.success ? parsed.data.status.errors[0] : undefined,
    left: answer.headers.get('x-ratelimit-remaining'),
  };
}

function headerFinding(subject: string, { status, error }: Probe): Finding {
  if (status === 400 && error?.reason === 'invalid_request') return fine(subject, 'client_id and client_secret arrive');
  if (status === 401 && (error?.field === 'client_id' || error?.field === 'client_secret')) {
    const todo =
      'allow header names with underscores: for nginx, set "underscores_in_headers on"; for Apache and IIS, add a rule (config/proxies/)';
    return wrong(
      subject,
      `${error.field} does not arrive: a proxy in front of the gateway drops header names with underscores`,
      todo,
    );
  }
  return wrong(
    subject,
    `inconclusive: the token operation answered ${status} ${error?.reason}`,
    'retry when the gateway is available',
  );
}

/**
 * Calls from one address share a limit, so their counts differ. If X-Forwarded-For is trusted, all counts are equal.
 */
function claimFinding(subject: string, probes: readonly Probe[]): Finding[] {
  const counts = probes.flatMap(({ left }) => left ?? []);
  if (counts.length < probes.length) return [];
  if (new Set(counts).size > 1) return [fine(subject, "a caller's X-Forwarded-For is ignored")];
  const todo =
    'configure the proxy to set X-Forwarded-For instead of appending to it, and list only proxies in TRUSTED_PROXIES';
  return [wrong(subject, "a caller's X-Forwarded-For is trusted: limits per address can be bypassed", todo)];
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An answer that isn't JSON is not from a gateway.
    return undefined;
  }
}

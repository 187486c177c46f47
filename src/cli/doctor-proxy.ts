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

/** One answer of the token operation to a pair that cannot be right. */
interface Probe {
  readonly status: number;
  /** Undefined where the answer is not the gateway's. */
  readonly error: { readonly reason: string; readonly field?: string | undefined } | undefined;
  /** Calls left from what the gateway takes for our address. */
  readonly left: string | null;
}

/**
 * Asks the token operation through a public address with a wrong pair, as several callers would who claim different addresses. The answers tell
 * whether client_id arrives, and whether such a claim is believed.
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
    return [wrong(subject, `${url} does not answer: ${why}`, 'correct --url, or start what listens there')];
  }
  const [first] = probes;
  if (first === undefined || first.error === undefined) {
    return [
      wrong(subject, `${url} is no gateway: it answers ${first?.status} in another form`, 'lead it to the gateways'),
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
      'let header names with an underscore through: nginx "underscores_in_headers on", Apache and IIS a rule (config/proxies/)';
    return wrong(
      subject,
      `${error.field} does not arrive: something in front of the gateway drops names with an underscore`,
      todo,
    );
  }
  return wrong(
    subject,
    `the token operation answers ${status} ${error?.reason}: nothing can be told`,
    'try again when it serves',
  );
}

/** Calls of one address share a limit: as many different counts as calls. Calls of four believed addresses all have the same left. */
function claimFinding(subject: string, probes: readonly Probe[]): Finding[] {
  const counts = probes.flatMap(({ left }) => left ?? []);
  if (counts.length < probes.length) return [];
  if (new Set(counts).size > 1) return [fine(subject, 'X-Forwarded-For of a caller is not believed')];
  const todo = 'let the proxy set X-Forwarded-For instead of appending to it, and name only proxies in TRUSTED_PROXIES';
  return [wrong(subject, 'X-Forwarded-For of a caller is believed: limits by address can be evaded', todo)];
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON is no gateway's answer.
    return undefined;
  }
}

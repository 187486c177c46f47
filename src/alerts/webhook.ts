import { createHash } from 'node:crypto';
import type { Config } from '../config/config.module.js';
import { isLoopback } from '../config/loopback.js';
import { StatusPoster } from '../suppliers/status-poster.js';
import { type Notice, wordsOf } from './alert-words.js';

const TIMEOUT_MS = 5_000;
/** What Alertmanager writes for "not yet". */
const NEVER = '0001-01-01T00:00:00Z';

/** Labels that all alerts of this process have; Alertmanager and its receivers tell gateways apart by them. */
export interface AlertSource {
  readonly gateway: string;
  readonly environment: string;
  /** Base URL of the portal. */
  readonly url: string;
}

/** The body that Alertmanager would send for this alert to a webhook (version 4). */
export function webhookBody(alert: Notice, { gateway, environment, url }: AlertSource) {
  const { startedAt, endedAt } = alert;
  const words = wordsOf(alert);
  const labels = {
    alertname: words.name,
    severity: words.severity,
    ...labelsOf(alert),
    environment,
    gateway,
  };
  const annotations = { summary: words.summary, description: words.description, runbook_url: words.runbook };
  const status = endedAt === undefined ? 'firing' : 'resolved';
  const groupLabels = { alertname: words.name };
  return {
    version: '4',
    groupKey: `{}:{alertname="${words.name}"}`,
    truncatedAlerts: 0,
    status,
    receiver: 'forecourt',
    groupLabels,
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: url,
    alerts: [
      {
        status,
        labels,
        annotations,
        startsAt: new Date(startedAt).toISOString(),
        endsAt: endedAt === undefined ? NEVER : new Date(endedAt).toISOString(),
        generatorURL: url,
        fingerprint: createHash('sha256').update(JSON.stringify(labels)).digest('hex').slice(0, 16),
      },
    ],
  };
}

function labelsOf(alert: Notice) {
  if ('why' in alert) return { supplier: alert.supplier };
  const { objective, pair } = alert;
  return {
    slo: objective.slo,
    ...(objective.supplier === '' ? {} : { supplier: objective.supplier }),
    pair: pair.name,
  };
}

/**
 * Sends alerts to the webhook of the settings: only to public addresses, unless the settings allow others, or to loopback in the
 * sandbox. Limits what the receiver answers as for the endpoints of applications.
 */
export class Webhook {
  readonly #poster: StatusPoster;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly url: string,
    { environment, alerts: { webhookAuthorization, allowPrivateNetwork } }: Pick<Config, 'environment' | 'alerts'>,
    private readonly source: () => AlertSource,
  ) {
    const isOpen = allowPrivateNetwork || (environment === 'sandbox' && isLoopback(new URL(url).hostname));
    this.#poster = new StatusPoster(!isOpen);
    this.#headers = webhookAuthorization === undefined ? {} : { authorization: webhookAuthorization };
  }

  /** Rejects unless the receiver accepted it with 2xx within 5 s. The error doesn't quote the URL, which may hold a secret. */
  async send(alert: Notice): Promise<void> {
    const body = JSON.stringify(webhookBody(alert, this.source()));
    const status = await this.#poster.post({ url: this.url, headers: this.#headers, body, timeoutMs: TIMEOUT_MS });
    if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}`);
  }

  async close(): Promise<void> {
    await this.#poster.close();
  }
}

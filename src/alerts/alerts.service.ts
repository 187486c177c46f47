import { hostname } from 'node:os';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { SiteAddress } from '../mail/site-address.js';
import { showFiring } from '../metrics/alert-metrics.js';
import { type Objective, showMinimumFailures, sloCounts } from '../metrics/slo-counts.js';
import { maskedText } from '../privacy/masked-text.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { type Notice, wordsOf } from './alert-words.js';
import { AutomaticReturn } from './automatic-return.js';
import { type BurnAlert, BurnAlerts } from './burn-alerts.js';
import { type Channel, Notifications } from './notifications.js';
import { OperatorMail } from './operator-mail.js';
import { Webhook } from './webhook.js';

const EVERY_MS = 10_000;

/**
 * Compares what this process counted with the objectives every 10 seconds, and sends alerts to the webhook and to operators. Works
 * without Prometheus and, except for emails, while the store and the database are unavailable (docs/decisions/0051).
 */
@Injectable()
export class Alerts implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #alerts: BurnAlerts;
  readonly #channels: readonly Notifications[];
  readonly #webhook: Webhook | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly registry: SupplierRegistry,
    site: SiteAddress,
    mail: OperatorMail,
    private readonly returns: AutomaticReturn,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { alerts, slo, environment } = config;
    const clock = { monotonicMs: () => performance.now(), epochMs: () => Date.now() };
    this.#alerts = new BurnAlerts(slo.minimumFailures, clock);
    const source = () => ({ gateway: `${hostname()}:${process.pid}`, environment, url: site.url('/') });
    const webhook = alerts.webhookUrl === undefined ? undefined : new Webhook(alerts.webhookUrl, config, source);
    this.#webhook = webhook;
    this.#channels = [
      ...(webhook ? [this.#channel({ name: 'webhook', send: (alert) => webhook.send(alert) })] : []),
      ...(alerts.mail && config.mail.smtpUrl !== undefined
        ? [this.#channel({ name: 'mail', send: (alert) => mail.send(alert) })]
        : []),
    ];
  }

  onApplicationBootstrap(): void {
    showMinimumFailures(this.config.slo.minimumFailures);
    showFiring(() =>
      this.#alerts.firing.map((alert) => {
        const { objective, pair, startedAt } = alert;
        return { pair, startedAt, supplier: objective.supplier, ...wordsOf(alert) };
      }),
    );
    sloCounts.set(objectivesOf(this.config.slo, this.#suppliers()));
    this.#timer = setInterval(() => void this.turn(), EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#webhook?.close();
  }

  /** Judges all objectives once and sends what changed. Never rejects. */
  async turn(): Promise<void> {
    sloCounts.set(objectivesOf(this.config.slo, this.#suppliers()));
    const changed = this.#alerts.judge(sloCounts.all);
    for (const alert of changed) this.#log(alert);
    const { firing } = this.#alerts;
    const returned = await this.returns.turn(firing, performance.now());
    await Promise.all(this.#channels.map((channel) => channel.turn([...changed, ...returned], firing)));
  }

  #suppliers(): readonly SupplierConfig[] {
    return this.registry.suppliers.map(({ config }) => config);
  }

  #log(alert: BurnAlert): void {
    const { name, description, runbook } = wordsOf(alert);
    const fields = { alert: name, supplier: alert.objective.supplier || undefined, description, runbook };
    if (alert.endedAt === undefined) this.logger.error(fields, 'alert: an error budget burns');
    else this.logger.info(fields, 'the alert is resolved');
  }

  #channel(channel: Channel): Notifications {
    const failed = (alert: Notice, error: unknown): void => {
      const why = error instanceof Error ? maskedText(error.message) : 'unknown';
      this.logger.error({ alert: wordsOf(alert).name, channel: channel.name, why }, 'an alert could not be delivered');
    };
    return new Notifications(channel, () => performance.now(), failed);
  }
}

/** The objectives of the gateway and of its suppliers. */
export function objectivesOf(slo: Config['slo'], suppliers: readonly SupplierConfig[]): readonly Objective[] {
  const { windowDays } = slo;
  const own = (['searches', 'bookings', 'tokens'] as const).map((name) => ({
    slo: name,
    supplier: '',
    target: slo[name],
    windowDays,
  }));
  const theirs = suppliers.flatMap(({ id: supplier, slo: { availability, latency, windowDays: days } }) => [
    { slo: 'supplier_availability', supplier, target: availability, windowDays: days } as const,
    { slo: 'supplier_latency', supplier, target: latency.target, underMs: latency.underMs, windowDays: days } as const,
  ]);
  return [...own, ...theirs];
}

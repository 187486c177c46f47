import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './binaries.js';
import { freePort, startChild } from './child.js';
import { PROJECT } from './project.js';

/** A sample of an instant query; `value` is NaN, infinite or a number. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A Prometheus with the rules of deploy/prometheus that scrapes one gateway every second. */
export interface Prometheus {
  /** The result of a query now. Throws with the error of Prometheus if it can't be read. */
  query(expr: string): Promise<readonly Sample[]>;
  /** Names of the alerts that fire. */
  firing(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts it for the metrics of a gateway, `http://host:port/metrics`. */
export async function startPrometheus(metricsUrl: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-prometheus-'));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(PROJECT, 'deploy/prometheus/rules/*.yml')],
    scrape_configs: [{ job_name: 'forecourt', static_configs: [{ targets: [new URL(metricsUrl).host] }] }],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const port = await freePort();
  const child = startChild(findBinary('prometheus') ?? 'prometheus', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await child.printed('Server is ready to receive web requests');
  const get = async (path: string): Promise<{ data: unknown }> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const body = (await answer.json()) as { status: string; error?: string; data: unknown };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body;
  };
  return {
    query: async (expr) => {
      const { data } = await get(`query?query=${encodeURIComponent(expr)}`);
      const { result } = data as { result: { metric: Sample['metric']; value: [number, string] }[] };
      return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    firing: async () => {
      const { data } = await get('alerts');
      const { alerts } = data as { alerts: { labels: Record<string, string>; state: string }[] };
      return alerts.flatMap(({ labels, state }) => (state === 'firing' ? [labels.alertname ?? ''] : []));
    },
    stop: async () => {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Delivery, deliver } from './otlp-delivery.js';
import { attributes, spansOf } from './otlp-spans.js';
import type { RequestFields } from './trace-line.js';

/** A batch of traces, and where it goes. */
export interface ExportTask {
  /** With the path /v1/traces. */
  readonly url: string;
  /** Headers that the collector requires, such as a key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Attributes of this process. */
  readonly resource: Readonly<Record<string, string>>;
  /** One trace per line (trace-line.ts). */
  readonly lines: string;
}

const pack = promisify(gzip);

/** Runs in a worker thread: makes spans of a batch, compresses them, and sends them to the collector. Never rejects. */
export default async function exportBatch({ lines, resource, ...target }: ExportTask): Promise<Delivery> {
  const requests = lines.split('\n').map((line) => JSON.parse(line) as RequestFields);
  const spans = requests.flatMap(spansOf);
  const message = {
    resourceSpans: [
      { resource: { attributes: attributes(resource) }, scopeSpans: [{ scope: { name: 'forecourt' }, spans }] },
    ],
  };
  return deliver(await pack(JSON.stringify(message)), spans.length, target);
}

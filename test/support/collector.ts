import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

const hex = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[\\da-f]{${digits}}$`));
const nano = z.string().regex(/^[1-9]\d{18}$/);
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const span = z.strictObject({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).optional(),
  name: z.string().min(1),
  kind: z.number().int().min(1).max(5),
  startTimeUnixNano: nano,
  endTimeUnixNano: nano,
  attributes,
  events: z.array(z.strictObject({ timeUnixNano: nano, name: z.string().min(1) })).optional(),
  links: z.array(z.strictObject({ traceId: hex(32), spanId: hex(16) })).optional(),
  status: z.strictObject({ code: z.literal([0, 1, 2]) }).optional(),
});
/** ExportTraceServiceRequest in the JSON encoding of OTLP, as far as gateways use it. */
const message = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(span) })),
    }),
  ),
});

/** A span as received, with its attributes by key. */
export type ReceivedSpan = Omit<z.infer<typeof span>, 'attributes'> & {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
};

/** What a collector does with an export that it has read. */
export type CollectorBehavior = (response: ServerResponse, spans: readonly ReceivedSpan[]) => void;

/** An OpenTelemetry collector that accepts OTLP/HTTP JSON and is strict about it. */
export interface Collector {
  readonly url: string;
  /** Headers of each export, oldest first, including those that weren't accepted. */
  readonly exports: readonly IncomingMessage['headers'][];
  /** The spans in the exports that were answered with 2xx. */
  readonly spans: readonly ReceivedSpan[];
  /** What was wrong with exports; empty = nothing. */
  readonly faults: readonly string[];
  /** Takes effect with the next export. */
  behave(behavior: CollectorBehavior): void;
  close(): Promise<void>;
}

/** Accepts an export. */
export const accept: CollectorBehavior = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
};

/** Never answers. */
export const hangOn: CollectorBehavior = () => undefined;

/** Answers with a status. */
export function answerWith(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): CollectorBehavior {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Starts one on a free port of 127.0.0.1 that accepts everything. */
export async function startCollector(): Promise<Collector> {
  const exports: IncomingMessage['headers'][] = [];
  const spans: ReceivedSpan[] = [];
  const faults: string[] = [];
  let behavior = accept;
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      exports.push(request.headers);
      const received = read(request, Buffer.concat(chunks), faults);
      response.once('finish', () => {
        if (response.statusCode < 300) spans.push(...received);
      });
      behavior(response, received);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    exports,
    spans,
    faults,
    behave: (next) => {
      behavior = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function read({ method, url, headers }: IncomingMessage, body: Buffer, faults: string[]): ReceivedSpan[] {
  const head = `${method} ${url} ${headers['content-type']} ${headers['content-encoding']}`;
  if (head !== 'POST /v1/traces application/json gzip') faults.push(head);
  const parsed = message.safeParse(JSON.parse(gunzipSync(body).toString()));
  if (!parsed.success) {
    faults.push(z.prettifyError(parsed.error));
    return [];
  }
  return parsed.data.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map((each) => ({
        ...each,
        attributes: byKey(each.attributes),
        resource: byKey(resource.attributes),
      })),
  );
}

function byKey(list: z.infer<typeof attributes>): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value: given }) => {
      if ('intValue' in given) return [key, Number(given.intValue)];
      if ('arrayValue' in given) return [key, given.arrayValue.values.map(({ stringValue }) => stringValue)];
      return [key, Object.values(given)[0]];
    }),
  );
}

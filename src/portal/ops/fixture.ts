import type { MaskedExchange } from '../../metrics/failed-exchanges.js';
import type { KeptExchange } from '../../records/failed-exchange-log.js';

/** The file name of an answer; its extension says its type to `gw adapter try`. `number`: 1, 2, 3 … */
export function fixtureName(
  { id, supplier, operation }: Pick<KeptExchange, 'id' | 'supplier' | 'operation'>,
  exchange: MaskedExchange,
  number: number,
): string {
  const { contentType } = exchange;
  const extension = /xml/.test(contentType) ? 'xml' : /html/.test(contentType) ? 'html' : 'json';
  return `${supplier}-${operation}-${id}-${number}.${extension}`.replace(/[^\w.-]/g, '_');
}

/** The command that runs the adapter on the kept answers. */
export function fixtureCommand(kept: KeptExchange): string {
  const answered = kept.exchanges.flatMap((exchange, index) =>
    exchange.status === null ? [] : [fixtureName(kept, exchange, index + 1)],
  );
  const status = kept.exchanges.findLast((exchange) => exchange.status !== null)?.status ?? 200;
  return `npm run -s gw -- adapter try ${kept.supplier} ${kept.operation} --request request.json --response ${answered.join(' ')} --status ${status}`;
}

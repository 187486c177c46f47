import type { RequestContext } from '../../context/request-context.js';

/** Whether the request wants the suppliers' own answers: `Cache-Control: no-cache` (RFC 9111, section 5.2.1.4). */
export function refusesMemory({ exchange }: RequestContext): boolean {
  const header = exchange?.request.headers['cache-control'];
  return header !== undefined && /(^|[\s,])no-cache([\s,]|$)/i.test(String(header));
}

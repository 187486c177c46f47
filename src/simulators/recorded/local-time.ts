import { toUtc } from '../../places/zone-clock.js';

const TOKEN = /YYYY|MM|DD|HH|mm|ss/g;
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const ISO = 'YYYY-MM-DDTHH:mm:ss';

/** Whether times in that format are instants, which need a zone. */
export function isEpoch(format: string): boolean {
  return format.startsWith('epoch-');
}

/** A time of a request as `YYYY-MM-DDTHH:mm:ss`, parsed at the positions of the digits in `times.write`. */
export function readLocal(value: unknown, write: string): string | undefined {
  const pattern = write === 'iso' ? ISO : write;
  if (typeof value !== 'string' || value.length !== pattern.length) return undefined;
  const local = ISO.replace(TOKEN, (token) => {
    const at = pattern.indexOf(token);
    return at < 0 ? '00' : value.slice(at, at + token.length);
  });
  return LOCAL.test(local) ? local : undefined;
}

/** A time in the format `times.read`; undefined for an instant in an unknown zone. */
export function writeLocal(local: string, read: string, zone: string | undefined): string | number | undefined {
  if (isEpoch(read)) {
    if (zone === undefined) return undefined;
    const epochMs = Date.parse(toUtc(local, zone));
    return read === 'epoch-seconds' ? epochMs / 1_000 : epochMs;
  }
  if (read === 'iso') return local;
  return read.replace(TOKEN, (token) => {
    const at = ISO.indexOf(token);
    return local.slice(at, at + token.length);
  });
}

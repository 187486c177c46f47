import type { Config } from './config.schema.js';
import { isLoopback } from './loopback.js';

/**
 * Why others than the people on this machine can call the gateway, each as a part of a sentence; empty = they can't. A
 * proxy on this machine counts, because it is there for others.
 */
export function reachableBecause({ http }: Pick<Config, 'http'>): readonly string[] {
  return [
    ...(isLoopback(http.host) ? [] : [`http.host is "${http.host}"`]),
    ...(http.trustedProxies.length === 0 ? [] : ['http.trustedProxies is set']),
    ...(http.publicUrl === undefined || isHere(http.publicUrl) ? [] : [`http.publicUrl is "${http.publicUrl}"`]),
  ];
}

function isHere(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

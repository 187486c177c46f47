import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChunkedMessage } from './tiny-chunks.js';

/** Requests of one connection that may be unanswered: the answers of pipelined requests wait in memory. */
export const MAX_UNANSWERED = 20;

/** How many requests of a connection wait for the answer to an earlier one. A connection that isn't listed has none. */
const waiting = new WeakMap<Duplex, number>();

/** Whether a connection has more than MAX_UNANSWERED requests: one whose answer is next, and those that wait. */
export function isFull(socket: Duplex): boolean {
  return (waiting.get(socket) ?? 0) >= MAX_UNANSWERED;
}

/** Requests that made their connection full: the parser reads nothing after them, even if earlier ones are answered before they begin. */
const tooMany = new WeakSet<IncomingMessage>();

/** Whether a request is the one that made its connection full. */
export function isOneTooMany(request: IncomingMessage): boolean {
  return tooMany.has(request);
}

/** Counts a request of a `boundedPipelining` server that waits for the answer to an earlier one. */
export function countPipelined(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  // Node assigns the connection to a response when it is its turn.
  if (response.socket !== null) return;
  waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
  if (isFull(socket)) tooMany.add(request);
  response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
}

/**
 * A request that the parser takes for an upgrade if its connection is full. Only an upgrade stops Node's parser within
 * the bytes of one read: 64 KB can be 3,600 requests, and it would create them all in one turn of the event loop.
 */
class PipelinedMessage extends ChunkedMessage {
  /** What the parser said. The constructor of the superclass sets it, so it is neither `#private` nor initialized here. */
  declare private asked: boolean | null;

  get upgrade(): boolean | null {
    return this.asked || isFull(this.socket);
  }
  set upgrade(value: boolean | null) {
    this.asked = value;
  }
}

/**
 * Options of a server that reads nothing more of a full connection, and emits `upgrade` for the request after that. It closes a connection
 * whose body comes in hundreds of small chunks.
 */
export const boundedPipelining = {
  IncomingMessage: PipelinedMessage,
  // The gateway upgrades no connection: such a request is answered as if its Upgrade header were missing (RFC 9110, 7.8).
  shouldUpgradeCallback: () => false,
} satisfies ServerOptions;

import type { ServerResponse } from 'node:http';

/**
 * Closes the connection when the client has read nothing of this answer for `ms`. Node restarts its timer with every
 * byte that the client takes; while nothing is to be read, the timer is restarted here.
 */
export function disconnectStalled(response: ServerResponse, ms: number): void {
  response.setTimeout(ms, () => {
    const { socket } = response;
    if (socket && socket.writableLength > 0) socket.destroy();
    else socket?.setTimeout(ms);
  });
}

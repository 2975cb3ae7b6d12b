import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const queuedOn = new WeakMap<Socket, Set<ServerResponse>>();

const queueOf = (socket: Socket): Set<ServerResponse> => {
  const known = queuedOn.get(socket);
  if (known) return known;
  const queued = new Set<ServerResponse>();
  queuedOn.set(socket, queued);
  socket.once('close', () => {
    for (const response of queued) response.destroy().emit('close');
  });
  return queued;
};

/**
 * Closes a response with its connection. Node does so only for the first one: with HTTP pipelining, a response behind it has no
 * socket yet, and whatever waits for its end would wait forever.
 */
export const closeWithConnection = ({ socket }: IncomingMessage, response: ServerResponse): void => {
  if (response.socket) return;
  const queued = queueOf(socket).add(response);
  response.once('socket', () => queued.delete(response));
};

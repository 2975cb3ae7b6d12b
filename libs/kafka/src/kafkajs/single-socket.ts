import type { Socket } from 'node:net';
import { privateModule } from './modules.js';

interface Connection {
  readonly socket?: Socket;
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
}

const connecting = new WeakMap<Connection, Promise<unknown>>();

/**
 * Correctness, not speed. Two requests that find a connection closed open a socket each, and the first one is never closed: it
 * keeps the process alive, and when the broker ends it, kafkajs ends the other with its requests. And whenever a
 * broker cannot be reached, kafkajs calls `unref` of the socket that was lost before, for which Node adds a listener.
 */
export const keepSingleSocket = (): void => {
  const { prototype } = privateModule('network/connection.js') as { prototype: Connection };
  const { connect, disconnect } = prototype;
  prototype.connect = function () {
    const running = connecting.get(this);
    if (running) return running;
    const attempt = connect.call(this).finally(() => {
      if (connecting.get(this) === attempt) connecting.delete(this);
    });
    connecting.set(this, attempt);
    return attempt;
  };
  prototype.disconnect = async function () {
    connecting.delete(this);
    const disconnected = await disconnect.call(this);
    if (this.socket?.destroyed) this.socket.off('connect', this.socket.unref);
    return disconnected;
  };
};

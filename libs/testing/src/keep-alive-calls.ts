import { Socket } from 'node:net';

/** The arguments of each call of `setKeepAlive`, of any socket, while `work` runs. */
export const keepAliveCalls = async (work: () => Promise<unknown>): Promise<unknown[][]> => {
  const calls: unknown[][] = [];
  const original = Socket.prototype.setKeepAlive;
  Socket.prototype.setKeepAlive = function (this: Socket, ...args: unknown[]) {
    calls.push(args);
    return Reflect.apply(original, this, args) as Socket;
  };
  try {
    await work();
  } finally {
    Socket.prototype.setKeepAlive = original;
  }
  return calls;
};

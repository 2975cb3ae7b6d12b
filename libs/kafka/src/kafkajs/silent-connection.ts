import { type CutConnection, cutConnection } from './cut-connection.js';
import { privateModule } from './modules.js';

interface SocketRequest {
  /** Removes the request from those in flight, before it is rejected. */
  timeoutHandler: () => void;
}

interface RequestQueue {
  /** In the order in which they were sent, which is that of their answers. */
  readonly inflight: ReadonlyMap<number, unknown>;
  createSocketRequest(request: { entry: { correlationId: number } }): SocketRequest;
}

interface Connection extends CutConnection {
  readonly host: string;
  readonly port: number;
  readonly requestQueue: RequestQueue;
  /** Set while it logs in. */
  readonly authHandlers: object | null;
  connect(): Promise<unknown>;
}

interface Errors {
  KafkaJSConnectionClosedError: new (message: string, broker: { host: string; port: number }) => Error;
}

const connections = new WeakMap<RequestQueue, Connection>();

/**
 * Correctness, not speed. When the machine of a broker is lost, connections to it stay open for up to a quarter of an hour. kafkajs
 * rejects a request that has no answer in time, and sends the next one over the same connection: it neither finds the new leaders,
 * nor the broker at its new address. Now it connects again. A request that waits behind one that may take longer, as the one to
 * join a group does, says nothing of the connection. One that is logging in is left alone, as by `fetch-abort`.
 */
export const endSilentConnections = (): void => {
  const { prototype } = privateModule('network/connection.js') as { prototype: Connection };
  const { prototype: ofQueues } = privateModule('network/requestQueue/index.js') as { prototype: RequestQueue };
  const { KafkaJSConnectionClosedError } = privateModule('errors.js') as Errors;
  const { connect } = prototype;
  prototype.connect = function () {
    connections.set(this.requestQueue, this);
    return connect.call(this);
  };
  const endSilent = (queue: RequestQueue): void => {
    const connection = connections.get(queue);
    if (!connection || connection.authHandlers) return;
    const { host, port } = connection;
    cutConnection(connection, new KafkaJSConnectionClosedError('The broker does not answer', { host, port }));
  };
  const { createSocketRequest } = ofQueues;
  ofQueues.createSocketRequest = function (request) {
    const socketRequest = createSocketRequest.call(this, request);
    const { timeoutHandler } = socketRequest;
    socketRequest.timeoutHandler = () => {
      const [oldest] = this.inflight.keys();
      timeoutHandler();
      if (oldest === request.entry.correlationId) endSilent(this);
    };
    return socketRequest;
  };
};

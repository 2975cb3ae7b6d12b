import type { Socket } from 'node:net';

/** A connection of kafkajs to a broker. */
export interface CutConnection {
  readonly socket?: Socket;
  /** What was received of an answer. */
  chunks: Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
  rejectRequests(error: Error): void;
  disconnect(): Promise<unknown>;
}

/** Size of the length field of an answer, in bytes. */
const lengthBytes = 4;

const noop = (): void => undefined;

/** Ends a connection at once, and its requests with this error. kafkajs connects again. */
export const cutConnection = (connection: CutConnection, error: Error): void => {
  connection.socket?.removeAllListeners().on('error', noop).destroy();
  connection.chunks = [];
  connection.bytesBuffered = 0;
  connection.bytesNeeded = lengthBytes;
  connection.rejectRequests(error);
  void connection.disconnect();
};

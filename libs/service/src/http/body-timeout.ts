import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../clock.js';

/** A body is there as a whole after this; of an upload something comes in every such time. */
export const bodyTimeoutMs = 30_000;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

interface Body {
  request: IncomingMessage;
  response: ServerResponse;
  isUpload(): boolean;
  /** It does not come in time. */
  giveUp(): void;
}

/** Keeps a client from holding a connection with a body that does not come. */
export const watchBody = (clock: Clock, { request, response, isUpload, giveUp }: Body): void => {
  const { socket } = request;
  let bytes = 0;
  let timer: Timer;
  const wait = (): void => {
    bytes = socket.bytesRead;
    timer = clock.after(bodyTimeoutMs, look);
  };
  const look = (): void => {
    if (request.complete) return;
    // While some of it is here unread, it is we who hold the client back.
    const goesOn = socket.bytesRead > bytes || request.readableLength > 0;
    if (goesOn && isUpload()) wait();
    else giveUp();
  };
  wait();
  request.once('close', () => timer.cancel());
  // The connection ends with the answer: nothing tells the request, whose body is not read.
  response.once('close', () => {
    if (socket.writableEnded) timer.cancel();
  });
};

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../clock.js';

/** Time limit for a whole body; for an upload, the limit between two chunks. */
export const bodyTimeoutMs = 30_000;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

interface Body {
  request: IncomingMessage;
  response: ServerResponse;
  isUpload(): boolean;
  giveUp(): void;
}

/** Keeps a client from holding a connection with a body that does not arrive. */
export const watchBody = (clock: Clock, { request, response, isUpload, giveUp }: Body): void => {
  const { socket } = request;
  let bytes = 0;
  let timer: Timer;
  const wait = (): void => {
    bytes = socket.bytesRead;
    timer = clock.after(bodyTimeoutMs, check);
  };
  const check = (): void => {
    if (request.complete) return;
    // While data is buffered and unread, this side applies back-pressure.
    const continues = socket.bytesRead > bytes || request.readableLength > 0;
    if (continues && isUpload()) wait();
    else giveUp();
  };
  wait();
  request.once('close', () => timer.cancel());
  // The connection closes with the response; the request, whose body is not read, gets no event.
  response.once('close', () => {
    if (socket.writableEnded) timer.cancel();
  });
};

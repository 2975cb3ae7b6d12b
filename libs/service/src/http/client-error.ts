import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HeadTooLarge, MalformedHttp, RequestTooSlow, type ServiceError } from '../errors/service-error.js';
import { headBytesMax } from './limits.js';
import { rawError } from './raw-answer.js';
import { newRequestId } from './request-id.js';

const errorOf = (code: string | undefined): ServiceError => {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadTooLarge(headBytesMax);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTooSlow();
  return new MalformedHttp();
};

/** What Node is answering on a connection; it looks there itself before it answers an error. */
type Answering = Socket & { _httpMessage?: ServerResponse };

/**
 * Answers what never becomes a request: a head that is no HTTP, too large or too slow. It has the error object whatever
 * the path, which was not parsed. A response in progress is aborted instead of mixed with this one.
 */
export const answerClientError = ({ code }: NodeJS.ErrnoException, socket: Answering): void => {
  // Later data of a rejected request arrives here as well.
  if (socket.destroyed || socket.writableEnded) return;
  if (code === 'ECONNRESET' || socket._httpMessage?.headersSent) return void socket.destroy();
  socket.write(rawError(errorOf(code), { path: '', accept: undefined, requestId: newRequestId() }));
  socket.destroySoon();
};

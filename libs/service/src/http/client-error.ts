import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HeadTooLarge, MalformedHttp, RequestTooSlow, type ServiceError } from '../errors/service-error.js';
import { headBytesMax } from './limits.js';
import { rawError } from './raw-response.js';
import { newRequestId } from './request-id.js';

const errorOf = (code: string | undefined): ServiceError => {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadTooLarge(headBytesMax);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTooSlow();
  return new MalformedHttp();
};

/** A socket with the response that Node is sending on it. Node reads this property too before it answers an error. */
type ResponseSocket = Socket & { _httpMessage?: ServerResponse };

/**
 * Answers what never becomes a request: a head that is not HTTP, is too large, or arrives too slowly. The answer is
 * always the error object, also below `/v2`, because the path was not parsed. If a response is being sent, it is
 * aborted and this one is not sent, so that the two are not mixed.
 */
export const answerClientError = ({ code }: NodeJS.ErrnoException, socket: ResponseSocket): void => {
  // Later data of a rejected request arrives here as well.
  if (socket.destroyed || socket.writableEnded) return;
  if (code === 'ECONNRESET' || socket._httpMessage?.headersSent) return void socket.destroy();
  socket.write(rawError(errorOf(code), { path: '', accept: undefined, requestId: newRequestId() }));
  socket.destroySoon();
};

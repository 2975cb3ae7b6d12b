import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorReply } from '../errors/error-body.js';
import {
  AccessDenied,
  BodyTooLarge,
  InternalError,
  MalformedHttp,
  MalformedJson,
  MethodNotAllowed,
  NotFound,
  ServiceError,
  Unauthenticated,
  Unavailable,
  ValidationFailed,
} from '../errors/service-error.js';
import type { Logger } from '../telemetry/logger.js';
import { isWrongMethod, otherMethods } from './known-routes.js';
import { bodyLimitBytes } from './limits.js';
import { originForm } from './normal-path.js';

const ofStatus = (status: number, message: string, bodyBytesMax: number): ServiceError | undefined => {
  if (status === 401) return new Unauthenticated();
  if (status === 403) return new AccessDenied();
  if (status === 404) return new NotFound('No such path.');
  if (status === 405) return new MethodNotAllowed();
  if (status === 413) return new BodyTooLarge(bodyBytesMax);
  if (status >= 400 && status < 500) return new ValidationFailed([], message);
  if (status === 503) return new Unavailable();
  return undefined;
};

const statusOf = (error: unknown): number | undefined => {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === 'number' ? status : undefined;
};

/** PostgreSQL, Redis or Kafka is down, full or overloaded: worth a retry, unlike a bug. */
const outages = {
  /**
   * 53 and 58: no space on its disk, no memory, too many connections, unreadable files. The last five: a statement that is too
   * slow, a serialization conflict, a deadlock, a lock that was not granted in time, an idle transaction.
   */
  code: /^(57P0[1235]|(08|53|58)\w{3}|57014|40001|40P01|55P03|25P03)$/,
  /** No connection. The name of a server without an address, such as that of a stopped container, does not resolve. */
  connection: /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  /** TypeORM releases a connection that breaks before the next statement of its transaction. */
  name: /^(MaxRetriesPerRequestError|KafkaJSConnectionError|KafkaJSNumberOfRetriesExceeded|QueryRunner(Provider)?AlreadyReleasedError)$/,
  /** Error codes of Redis: the first word of a message, or after a dash if a script failed. */
  reply: /(^|-)(MISCONF|OOM|LOADING|READONLY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|MOVED|TRYAGAIN|BUSY) /,
  /** The last but one: a cluster has refused a command for longer than ioredis repeats it, as while a replica takes over. */
  message:
    /Connection terminated|Connection is closed|Command timed out|Stream isn't writeable|Cluster isn't ready|Too many Cluster redirections|timeout exceeded when trying to connect/,
};

const isOutage = (error: unknown): boolean => {
  const { code, name, message } = (error ?? {}) as { code?: string; name?: string; message?: string };
  if (name === 'ReplyError') return outages.reply.test(String(message));
  return (
    [outages.code, outages.connection].some((codes) => codes.test(String(code))) ||
    outages.name.test(String(name)) ||
    outages.message.test(String(message))
  );
};

/** Node's error of a request whose client closes the connection in the middle of the body (RFC 9112 §8): no server is away. */
const isCutOff = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return code === 'ECONNRESET' && message === 'aborted';
};

/**
 * Turns any error into one that a client may see; an unexpected one becomes an InternalError without details. `bodyBytesMax`: the
 * limit of the route.
 */
export const toServiceError = (error: unknown, bodyBytesMax = bodyLimitBytes): ServiceError => {
  if (error instanceof ServiceError) return error;
  if (isCutOff(error)) return new MalformedHttp();
  if (error instanceof SyntaxError && statusOf(error) === 400) return new MalformedJson();
  const status = statusOf(error);
  const known = status === undefined ? undefined : ofStatus(status, (error as Error).message, bodyBytesMax);
  return known ?? (isOutage(error) ? new Unavailable(undefined, error) : new InternalError(error));
};

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    this.answer(error, request, reply);
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const isUnrouted = !(error instanceof ServiceError) && statusOf(error) === 404;
    const known =
      isUnrouted && isWrongMethod(request)
        ? new MethodNotAllowed()
        : toServiceError(error, request.routeOptions.bodyLimit);
    // RFC 9110 §15.5.6.
    if (known.status === 405) reply.header('allow', otherMethods(request).join(', '));
    const { id: requestId, method } = request;
    const path = pathOf(request.originalUrl || request.url);
    if (known.status >= 500)
      this.logger.error({ err: known.cause ?? error, requestId, method, path }, 'request failed');
    if (reply.sent) return;
    const answer = errorReply(known, path, request.headers.accept, requestId);
    void reply.code(answer.status).headers(answer.headers).type(answer.contentType).send(answer.body);
  }
}

/** Without the query, which may hold what must not be logged. */
const pathOf = (url: string): string => originForm(url).split('?', 1)[0] as string;

import { createParamDecorator, type ExecutionContext, type PipeTransform, type Type } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './guard.js';
import type { Identity } from './token.js';

/** Who sent the request, in which account it acts, and which record and version of it the request names. */
export interface RequestContext {
  caller: Identity;
  /** The caller's own account, unless an administrator of the installation acts in another. */
  accountId: string;
  /** `:id` of the path; empty if the path has none. */
  id: string;
  /** All parameters of the path. */
  params: Readonly<Record<string, string>>;
  /** The If-Match header as it was sent; undefined if there is none, or the operation ignores it. */
  ifMatch?: string | undefined;
}

const FromRequest = createParamDecorator((isConditional: boolean, context: ExecutionContext): RequestContext => {
  const { params, headers } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  const caller = callerOf(context);
  const ifMatch = isConditional ? headers['if-match'] : undefined;
  return { caller, accountId: caller.accountId, id: params['id'] ?? '', params, ifMatch };
});

type Pipe = Type<PipeTransform<RequestContext, Promise<RequestContext>>>;

/** Parameter of a controller method: the RequestContext. `pipes` may change it, for example to act in another account. */
export const CurrentRequest = (...pipes: Pipe[]): ParameterDecorator => FromRequest(false, ...pipes);

/** The same for an operation that honours If-Match (RFC 9110 §13.1.1), which it also documents. */
export const ConditionalRequest =
  (...pipes: Pipe[]): ParameterDecorator =>
  (controller, method, index) => {
    const key = method as string;
    const descriptor = Object.getOwnPropertyDescriptor(controller, key) as PropertyDescriptor;
    ApiHeader({ name: 'if-match' })(controller, key, descriptor);
    FromRequest(true, ...pipes)(controller, key, index);
  };

import { createParamDecorator, type ExecutionContext, type PipeTransform, type Type } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './guard.js';
import type { Identity } from './token.js';

/** The caller, the account and the record of a request, and the version that If-Match names. */
export interface By {
  caller: Identity;
  /** The caller's own account, unless an administrator of the installation acts in another. */
  accountId: string;
  /** `:id` of the path; empty if the path has none. */
  id: string;
  params: Readonly<Record<string, string>>;
  ifMatch?: string | undefined;
}

const Bound = createParamDecorator((isConditional: boolean, context: ExecutionContext): By => {
  const { params, headers } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  const caller = callerOf(context);
  const ifMatch = isConditional ? headers['if-match'] : undefined;
  return { caller, accountId: caller.accountId, id: params['id'] ?? '', params, ifMatch };
});

type Pipe = Type<PipeTransform<By, Promise<By>>>;

/** Parameter of a controller method: the caller and the record, in any version. */
export const ByCaller = (...pipes: Pipe[]): ParameterDecorator => Bound(false, ...pipes);

/** The same, with the version that If-Match names. */
export const ByCallerIfMatch =
  (...pipes: Pipe[]): ParameterDecorator =>
  (controller, method, index) => {
    const key = method as string;
    const descriptor = Object.getOwnPropertyDescriptor(controller, key) as PropertyDescriptor;
    ApiHeader({ name: 'if-match' })(controller, key, descriptor);
    Bound(true, ...pipes)(controller, key, index);
  };

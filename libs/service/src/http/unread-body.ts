import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { ValidationFailed } from '../errors/service-error.js';

/** Parameters from which a handler can read the body. */
const readers: string[] = [RouteParamtypes.BODY, RouteParamtypes.RAW_BODY].map(String);

const namesIn = (body: unknown): string[] => {
  if (body === undefined || body === null) return [];
  if (Buffer.isBuffer(body)) return body.length > 0 ? ['body'] : [];
  return typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : ['body'];
};

const takesBody = (context: ExecutionContext): boolean => {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ??
    {}) as object;
  return Object.keys(parameters).some((key) => readers.includes(key.split(':')[0] as string));
};

/**
 * Refuses fields in the body of an operation that takes none. An empty object has no field: clients send it. This is a guard,
 * because with a single interceptor Nest answers every request through observables, which takes longer than all else that it does.
 */
@Injectable()
export class UnreadBody implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const names = namesIn(context.switchToHttp().getRequest<FastifyRequest>().body);
    if (names.length > 0 && !takesBody(context))
      throw new ValidationFailed(
        names.map((name) => ({ name, message: 'Unknown field: the operation accepts no body' })),
      );
    return true;
  }
}

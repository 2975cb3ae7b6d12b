import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
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

/** Refuses fields in the body of an operation that takes none. An empty object is no field: clients send it. */
@Injectable()
export class UnreadBody implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const names = namesIn(context.switchToHttp().getRequest<FastifyRequest>().body);
    if (names.length > 0 && !takesBody(context))
      throw new ValidationFailed(
        names.map((name) => ({ name, message: 'Unknown field: the operation accepts no body' })),
      );
    return next.handle();
  }
}

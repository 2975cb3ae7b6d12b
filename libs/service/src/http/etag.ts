import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { EtagDiffers } from '../errors/service-error.js';

const tags = (header: string): string[] =>
  header.split(',').map((tag) =>
    tag
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );

/** Throws EtagDiffers when the caller named other versions only (RFC 9110 §13.1.1). No header: any version. */
export const mustMatch = (ifMatch: string | undefined, etag: string): void => {
  if (ifMatch === undefined) return;
  const named = tags(ifMatch);
  if (!named.includes('*') && !named.includes(etag)) throw new EtagDiffers();
};

/** The etag of a record, as a header too. */
@Injectable()
export class EtagHeader implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((body: unknown) => {
        const { etag } = (body ?? {}) as { etag?: unknown };
        if (typeof etag === 'string')
          void context.switchToHttp().getResponse<FastifyReply>().header('etag', `"${etag}"`);
        return body;
      }),
    );
  }
}

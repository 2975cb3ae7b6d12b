import type { Actor, OperatorAction, Target } from '@lanyard/contracts';
import { callerOf, type Identity, mustMatch } from '@lanyard/service';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

/** Who asks for a change, in which account, and of which version of the record. */
export interface By {
  caller: Identity;
  /** The caller's own account, unless an administrator of the installation acts in another. */
  accountId: string;
  /** The If-Match header. */
  ifMatch?: string | undefined;
}

export const by = (caller: Identity, ifMatch?: string, accountId = caller.accountId): By => ({
  caller,
  accountId,
  ifMatch,
});

/** Parameter of a controller method: who asks for a change of any version. */
export const ByCaller = createParamDecorator((_: unknown, context: ExecutionContext) => by(callerOf(context)));

const Conditional = createParamDecorator((_: unknown, context: ExecutionContext) =>
  by(callerOf(context), context.switchToHttp().getRequest<FastifyRequest>().headers['if-match']),
);

/** The same, of the version that If-Match names. */
export const ByCallerIfMatch = (): ParameterDecorator => (controller, method, index) => {
  const key = method as string;
  const descriptor = Object.getOwnPropertyDescriptor(controller, key) as PropertyDescriptor;
  ApiHeader({ name: 'if-match' })(controller, key, descriptor);
  Conditional()(controller, key, index);
};

export const actorOf = ({ keyId, accountId, requestId }: Identity): Actor => ({ keyId, accountId, requestId });

/** Throws EtagDiffers if the caller meant another version. */
export const mustBeMeant = ({ ifMatch }: By, { revision }: { revision: number }): void =>
  mustMatch(ifMatch, String(revision));

/** A change as the event log records it. `changes`: fields with a new value. */
export interface AuditAction {
  action: OperatorAction;
  target: Target;
  changes?: Record<string, string>;
  data?: Record<string, string>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The fields that differ between two versions of a record, with their new values. */
export const differences = (before: object, now: object): Record<string, string> => {
  const old = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(now)
      .filter(([name, value]) => !['updated_at', 'etag'].includes(name) && textOf(old[name]) !== textOf(value))
      .map(([name, value]) => [name, textOf(value)]),
  );
};

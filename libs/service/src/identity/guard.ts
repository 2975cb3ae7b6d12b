import type { KeyObject } from 'node:crypto';
import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import { allows, type Permission } from '@lanyard/contracts';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.js';
import { AccessDenied, Unauthenticated } from '../errors/service-error.js';
import { setBounded } from '../set-bounded.js';
import { traceParentOf } from '../telemetry/http-spans.js';
import { type Identity, identityHeader, type VerifiedIdentity, verifyIdentity } from './token.js';

type Handler = ReturnType<ExecutionContext['getHandler']>;

const accessKey = 'lanyard:access';

/** Access to a route: without a key, with any valid key, or with a key that has this permission. */
export type Access = 'public' | 'any-key' | { permission: Permission };

type AccessDecorator = ClassDecorator & MethodDecorator;

/** The OpenAPI document contains it as well, so that it can be compared with the gateway's table. */
const access = (value: Access): AccessDecorator => {
  const documented = typeof value === 'string' ? value : value.permission;
  return applyDecorators(SetMetadata(accessKey, value), ApiExtension('x-permission', documented));
};

/** The caller's key needs this permission. On a handler it overrides that of the controller. */
export const RequiresPermission = (permission: Permission): AccessDecorator => access({ permission });

/** Any valid key may call the route; what it sees is decided by the handler. */
export const AnyKey = (): AccessDecorator => access('any-key');

/** Route or controller that needs no identity. */
export const Public = (): AccessDecorator => access('public');

/** The access that decorators declare for a handler; undefined if neither it nor its controller has one. */
export const accessOf = (reflector: Reflector, handler: Handler, controller: Type): Access | undefined =>
  reflector.getAllAndOverride<Access | undefined>(accessKey, [handler, controller]);

/** Authenticates a request. The gateway has its own implementation (the API key). */
export interface Authenticator {
  authenticate(request: FastifyRequest): Promise<Identity>;
}

export const AUTHENTICATOR = Symbol('Authenticator');

/** Recently verified tokens: a gateway reuses one for some seconds. */
const verifiedMax = 5_000;

/** Accepts a token that the gateway signed for this service and nothing else. */
export class TokenAuthenticator implements Authenticator {
  private readonly verified = new Map<string, VerifiedIdentity>();

  constructor(
    /** The name of the app. */
    private readonly audience: string,
    private readonly publicKeys: readonly KeyObject[],
    private readonly clock: Clock,
  ) {}

  async authenticate(request: FastifyRequest): Promise<Identity> {
    const token = request.headers[identityHeader];
    const verified = typeof token === 'string' ? this.verify(token) : undefined;
    if (!verified)
      throw new Unauthenticated(
        'The request did not come through the gateway: it has no valid identity token.',
        'invalid_token',
      );
    return { requestId: request.id, ...verified.identity };
  }

  private verify(token: string): VerifiedIdentity | undefined {
    const now = this.clock.now();
    const before = this.verified.get(token);
    if (before && before.untilMs >= now) return before;
    const verified = verifyIdentity(token, this.audience, this.publicKeys, now);
    if (verified) setBounded(this.verified, token, verified, verifiedMax);
    else this.verified.delete(token);
    return verified;
  }
}

export const lacks = (permission: Permission): string =>
  `The key has no permission for this operation: it needs a group that gives ${permission}.`;

type WithIdentity = FastifyRequest & { identity?: Identity };

@Injectable()
export class IdentityGuard implements CanActivate {
  constructor(
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const access = this.accessOf(context);
    if (access === 'public') return true;
    const request = context.switchToHttp().getRequest<WithIdentity>();
    const identity = await this.authenticator.authenticate(request);
    const traceParent = traceParentOf(request);
    request.identity = traceParent === undefined ? identity : { traceParent, ...identity };
    if (access !== 'any-key' && !allows(identity.permissions, access.permission))
      throw new AccessDenied(lacks(access.permission));
    return true;
  }

  private accessOf(context: ExecutionContext): Access {
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const access = accessOf(this.reflector, handler, controller);
    // DeclaredAccess finds it at the start; a route that is registered later is refused here.
    if (!access) throw new Error(`${controller.name}.${handler.name} does not say which permission it needs`);
    return access;
  }
}

export const callerOf = (context: ExecutionContext): Identity => {
  const { identity } = context.switchToHttp().getRequest<WithIdentity>();
  if (!identity) throw new Unauthenticated();
  return identity;
};

/** Parameter of a controller method: the caller's Identity. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) => callerOf(context));

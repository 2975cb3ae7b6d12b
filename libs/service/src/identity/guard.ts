import {
  type CanActivate,
  createParamDecorator,
  type CustomDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.js';
import { AccessDenied, Unauthenticated } from '../errors/service-error.js';
import { traceParentOf } from '../tracing/http-spans.js';
import { type Identity, identityHeader, type VerifiedIdentity, verifyIdentity } from './token.js';

const permissionsKey = 'lanyard:permissions';
const publicKey = 'lanyard:public';

/** The caller needs each of these permissions; `admin` is what the Administrators group has. */
export const Permissions = (...permissions: string[]): CustomDecorator => SetMetadata(permissionsKey, permissions);

/** Route or controller that needs no identity. */
export const Public = (): CustomDecorator => SetMetadata(publicKey, true);

/** How a request proves who it comes from. The gateway has its own way (the API key). */
export interface Authenticator {
  authenticate(request: FastifyRequest): Promise<Identity>;
}

export const AUTHENTICATOR = Symbol('Authenticator');

/** Tokens that were verified a moment ago: a gateway comes with the same one for some seconds. */
const verifiedMax = 5_000;

/** Accepts the gateway's signed token and nothing else. */
export class TokenAuthenticator implements Authenticator {
  private readonly verified = new Map<string, VerifiedIdentity>();

  constructor(
    private readonly secrets: readonly string[],
    private readonly clock: Clock,
  ) {}

  async authenticate(request: FastifyRequest): Promise<Identity> {
    const token = request.headers[identityHeader];
    const verified = typeof token === 'string' ? this.verify(token) : undefined;
    if (!verified) throw new Unauthenticated('Come through the gateway: no valid identity token.', 'invalid_token');
    return { requestId: request.id, ...verified.identity };
  }

  private verify(token: string): VerifiedIdentity | undefined {
    const now = this.clock.now();
    const before = this.verified.get(token);
    if (before && before.untilMs >= now) return before;
    this.verified.delete(token);
    const verified = verifyIdentity(token, this.secrets, now);
    if (!verified) return undefined;
    this.verified.set(token, verified);
    const [oldest] = this.verified.keys();
    if (this.verified.size > verifiedMax && oldest !== undefined) this.verified.delete(oldest);
    return verified;
  }
}

type WithIdentity = FastifyRequest & { identity?: Identity };

/** What a route asks of its caller. */
interface Demand {
  isPublic: boolean;
  permissions: readonly string[];
}

@Injectable()
export class IdentityGuard implements CanActivate {
  /** By controller and method: read once, as decorators do not change. A method may be inherited by several controllers. */
  private readonly demands = new WeakMap<object, WeakMap<object, Demand>>();

  constructor(
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const { isPublic, permissions } = this.demandOf(context);
    if (isPublic) return true;
    const request = context.switchToHttp().getRequest<WithIdentity>();
    const identity = await this.authenticator.authenticate(request);
    const traceParent = traceParentOf(request);
    request.identity = traceParent === undefined ? identity : { traceParent, ...identity };
    const missing = permissions.find((permission) => !request.identity?.permissions.includes(permission));
    if (missing) throw new AccessDenied(`The key has no permission for this operation: it needs ${missing}.`);
    return true;
  }

  private demandOf(context: ExecutionContext): Demand {
    const [method, controller] = [context.getHandler(), context.getClass()];
    let ofController = this.demands.get(controller);
    if (!ofController) this.demands.set(controller, (ofController = new WeakMap()));
    let demand = ofController.get(method);
    if (!demand) ofController.set(method, (demand = this.read([method, controller])));
    return demand;
  }

  private read(targets: Parameters<Reflector['getAllAndOverride']>[1]): Demand {
    return {
      isPublic: this.reflector.getAllAndOverride<boolean | undefined>(publicKey, targets) ?? false,
      permissions: this.reflector.getAllAndOverride<string[] | undefined>(permissionsKey, targets) ?? [],
    };
  }
}

/** Parameter of a controller method: the caller's Identity. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Identity => {
  const { identity } = context.switchToHttp().getRequest<WithIdentity>();
  if (!identity) throw new Unauthenticated();
  return identity;
});

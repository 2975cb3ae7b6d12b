import { type Identity, identityHeader, type Metrics, requestIdHeader, traceParentHeader } from '@lanyard/service';
import { forward } from '../door/forward.js';
import type { IdentityTokens } from '../door/identity-tokens.js';
import type { Replicas } from '../door/replicas.js';
import type { Owner } from '../door/routes.js';
import { OwnerUnavailable } from '../errors.js';

const timeoutMs = 25_000;

export interface AskerParts {
  replicas: Record<Owner, Replicas>;
  tokens: IdentityTokens;
  metrics: Metrics;
}

/** An owner's answer that is no success, as it came. */
export class OwnerRefused extends Error {
  constructor(
    readonly status: number,
    readonly body: { message?: string; type?: string; fields?: { name: string; message: string }[] },
  ) {
    super(`answered ${status}`);
    this.name = 'OwnerRefused';
  }
}

/** Asks services for their facts in the name of the caller: what the caller may not see they do not say. */
export class OwnerAsker {
  constructor(private readonly parts: AskerParts) {}

  /** Throws OwnerUnavailable, or OwnerRefused for a status of 400 and more. */
  async get<T>(owner: Owner, path: string, caller: Identity): Promise<T> {
    const { replicas, tokens, metrics } = this.parts;
    const answer = await forward(
      replicas[owner],
      {
        method: 'GET',
        path,
        headers: {
          accept: 'application/json',
          [identityHeader]: tokens.of(caller, owner),
          [requestIdHeader]: caller.requestId,
          ...(caller.traceParent !== undefined && { [traceParentHeader]: caller.traceParent }),
        },
        body: { open: () => null, repeatable: () => true },
        signal: AbortSignal.timeout(timeoutMs),
      },
      metrics,
    ).catch((cause: unknown) => {
      throw new OwnerUnavailable(owner, cause);
    });
    const body: unknown = await answer.body.json().catch(() => ({}));
    if (answer.statusCode >= 500) throw new OwnerUnavailable(owner);
    if (answer.statusCode >= 400) throw new OwnerRefused(answer.statusCode, body as OwnerRefused['body']);
    return body as T;
  }
}

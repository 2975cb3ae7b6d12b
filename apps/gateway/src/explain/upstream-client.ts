import { type Identity, identityHeader, type Metrics, requestIdHeader, traceParentHeader } from '@lanyard/service';
import { forward } from '../proxy/forward.js';
import type { IdentityTokens } from '../proxy/identity-tokens.js';
import type { Replicas } from '../proxy/replicas.js';
import type { Upstream } from '../upstreams.js';
import { UpstreamUnavailable } from '../errors.js';

const timeoutMs = 25_000;

export interface UpstreamClientParts {
  replicas: Record<Upstream, Replicas>;
  tokens: IdentityTokens;
  metrics: Metrics;
}

/** An upstream's unsuccessful response, unchanged. */
export class UpstreamRefused extends Error {
  constructor(
    readonly status: number,
    readonly body: { message?: string; type?: string; fields?: { name: string; message: string }[] },
  ) {
    super(`answered ${status}`);
    this.name = 'UpstreamRefused';
  }
}

/** Reads facts from upstreams with the caller's identity, so each upstream applies the caller's permissions. */
export class UpstreamClient {
  constructor(private readonly parts: UpstreamClientParts) {}

  /** Throws UpstreamUnavailable, or UpstreamRefused for a status of 400 and more. */
  async get<T>(upstream: Upstream, path: string, caller: Identity): Promise<T> {
    const { replicas, tokens, metrics } = this.parts;
    const answer = await forward(
      replicas[upstream],
      {
        method: 'GET',
        path,
        headers: {
          accept: 'application/json',
          [identityHeader]: tokens.of(caller, upstream),
          [requestIdHeader]: caller.requestId,
          ...(caller.traceParent !== undefined && { [traceParentHeader]: caller.traceParent }),
        },
        body: { open: () => null, repeatable: () => true },
        signal: AbortSignal.timeout(timeoutMs),
      },
      metrics,
    ).catch((cause: unknown) => {
      throw new UpstreamUnavailable(upstream, cause);
    });
    const body: unknown = await answer.body.json().catch(() => ({}));
    if (answer.statusCode >= 500) throw new UpstreamUnavailable(upstream);
    if (answer.statusCode >= 400) throw new UpstreamRefused(answer.statusCode, body as UpstreamRefused['body']);
    return body as T;
  }
}

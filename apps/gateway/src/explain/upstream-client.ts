import { type Identity, identityHeader, requestIdHeader, traceParentHeader } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { IdentityTokens } from '../proxy/identity-tokens.js';
import { UpstreamCalls } from '../proxy/upstream-calls.js';
import type { Upstream } from '../upstreams.js';
import { UpstreamUnavailable } from '../errors.js';

const timeoutMs = 25_000;

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
@Injectable()
export class UpstreamClient {
  constructor(
    private readonly upstreams: UpstreamCalls,
    private readonly tokens: IdentityTokens,
  ) {}

  /** Throws UpstreamUnavailable, or UpstreamRefused for a status of 400 and more. */
  async get<T>(upstream: Upstream, path: string, caller: Identity): Promise<T> {
    const headers = {
      [identityHeader]: this.tokens.tokenFor(caller, upstream),
      [requestIdHeader]: caller.requestId,
      ...(caller.traceParent !== undefined && { [traceParentHeader]: caller.traceParent }),
    };
    const answer = await this.upstreams.get(upstream, path, timeoutMs, headers).catch((cause: unknown) => {
      throw new UpstreamUnavailable(upstream, cause);
    });
    const body: unknown = await answer.body.json().catch(() => ({}));
    if (answer.statusCode >= 500) throw new UpstreamUnavailable(upstream);
    if (answer.statusCode >= 400) throw new UpstreamRefused(answer.statusCode, body as UpstreamRefused['body']);
    return body as T;
  }
}

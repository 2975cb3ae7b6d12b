import { allows } from '@lanyard/contracts';
import { type Identity, identityHeader, RateLimited, requestIdHeader, traceParentHeader } from '@lanyard/service';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { UpstreamUnavailable } from '../errors.js';
import type { Permission } from '../permissions.js';
import { type Upstream, upstreams } from '../upstreams.js';
import { IdentityTokens } from './identity-tokens.js';
import { UpstreamCalls } from './upstream-calls.js';

const timeoutMs = 25_000;

/** Facts are small; a snapshot has no limit. */
const bytesMax = 8 * 1_048_576;

export const LeftOut = z
  .array(z.object({ service: z.enum(upstreams), reason: z.string() }))
  .describe(
    'Services whose part is missing, because the key lacks the permission, the service did not answer or refused the request, or its answer was too large',
  );
export type LeftOut = z.infer<typeof LeftOut>;

/** A part of a response that may be missing; then `leftOut` says why. */
export interface PartRequest {
  upstream: Upstream;
  path: string;
  needed: Permission;
  leftOut: LeftOut;
  /** 404 means that the upstream knows nothing of the subject: then nothing is missing. */
  mayBeUnknown?: boolean;
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

/** The response is too large, and is not read to the end. */
class ResponseTooLarge extends UpstreamUnavailable {}

type UpstreamError = UpstreamUnavailable | RateLimited | UpstreamRefused;

const isOfUpstream = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamUnavailable || error instanceof RateLimited || error instanceof UpstreamRefused;

const reasonOf = (error: UpstreamError): string => {
  if (error instanceof RateLimited) return 'The account has too many requests there.';
  if (error instanceof UpstreamRefused) return `The service refused the request (${error.status}).`;
  return error instanceof ResponseTooLarge ? 'Its answer is too large.' : 'The service does not answer.';
};

/** Undefined if the body is no JSON, or breaks off. Throws ResponseTooLarge. */
const jsonOf = async (upstream: Upstream, body: Readable): Promise<unknown> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > bytesMax) throw new ResponseTooLarge(upstream);
      parts.push(part);
    }
    return JSON.parse(Buffer.concat(parts).toString()) as unknown;
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw error;
    return undefined;
  }
};

/** Reads facts from upstreams with the caller's identity, so each upstream applies the caller's permissions. */
@Injectable()
export class UpstreamClient {
  constructor(
    private readonly upstreams: UpstreamCalls,
    private readonly tokens: IdentityTokens,
  ) {}

  /**
   * Throws UpstreamUnavailable, also when the response breaks off, RateLimited, or UpstreamRefused for any other status of 400 or
   * above.
   */
  async get<T>(upstream: Upstream, path: string, caller: Identity): Promise<T> {
    const headers = {
      [identityHeader]: this.tokens.tokenFor(caller, upstream),
      [requestIdHeader]: caller.requestId,
      ...(caller.traceParent !== undefined && { [traceParentHeader]: caller.traceParent }),
    };
    const response = await this.upstreams.get(upstream, path, timeoutMs, headers);
    const body = await jsonOf(upstream, response.body);
    if (response.statusCode >= 500) throw new UpstreamUnavailable(upstream);
    if (response.statusCode === 429) throw new RateLimited(Number(response.headers['retry-after']) || 1);
    if (response.statusCode >= 400)
      throw new UpstreamRefused(response.statusCode, (body ?? {}) as UpstreamRefused['body']);
    if (body === undefined) throw new UpstreamUnavailable(upstream);
    return body as T;
  }

  /** Returns undefined, and records why, when the caller may not see it or its upstream does not answer with it. */
  async getPart<T>(caller: Identity, request: PartRequest): Promise<T | undefined> {
    const { upstream, path, needed, leftOut, mayBeUnknown = false } = request;
    if (!allows(caller.permissions, needed)) {
      leftOut.push({ service: upstream, reason: `The key has no permission ${needed}.` });
      return undefined;
    }
    try {
      return await this.get<T>(upstream, path, caller);
    } catch (error) {
      if (mayBeUnknown && error instanceof UpstreamRefused && error.status === 404) return undefined;
      if (!isOfUpstream(error)) throw error;
      leftOut.push({ service: upstream, reason: reasonOf(error) });
      return undefined;
    }
  }
}

import { Metrics, ServiceError } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import { UpstreamUnavailable } from '../errors.js';
import type { Upstream } from '../upstreams.js';
import { forwardRequest, type UpstreamResponse } from './upstream-response.js';
import type { ClientDisconnect } from './client-disconnect.js';
import { type Replica, UpstreamReplicas } from './replicas.js';
import { ClientGone, emptyBody, type RequestBody } from './request-body.js';

export interface Call {
  method: string;
  /** Path and query, as the client sent them. */
  path: string;
  headers: Record<string, string | string[]>;
  body: RequestBody;
  /** The client disconnected. */
  signal: { readonly aborted: boolean };
}

/** A call whose response the gateway reads. */
type OwnCall = Call & { signal: AbortSignal };
/** A call whose response is passed on. */
export type ForwardedCall = Call & { signal: ClientDisconnect };

/** Idempotent methods (RFC 9110 §9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

const errorsOf = (error: unknown): { code?: string; syscall?: string }[] =>
  error instanceof AggregateError ? (error.errors as object[]) : [(error ?? {}) as object];

/** Nothing of the request was sent, so any method may be tried at another replica. */
export const failedToConnect = (error: unknown): boolean =>
  errorsOf(error).every(
    ({ code, syscall }) =>
      syscall === 'connect' ||
      syscall === 'getaddrinfo' ||
      code === 'ECONNREFUSED' ||
      code === 'UND_ERR_CONNECT_TIMEOUT',
  );

const wasReset = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes((error as { code?: string }).code ?? '');

/** A poll confirms the events of the last response. */
export const pollPath = '/v2/notification/pull';

/**
 * The same call once more. A poll confirms the events of the last response, and that may be the response that broke off: the
 * repetition says that its client has no response, so that these events are delivered again.
 */
const repetitionOf = <C extends Call>(call: C): C => {
  const { pathname, searchParams } = new URL(call.path, 'http://upstream');
  if (pathname !== pollPath || searchParams.has('after')) return call;
  // A path with an empty query has a question mark, too.
  return { ...call, path: `${call.path}${call.path.includes('?') ? '&' : '?'}after=0` };
};

type Send<A, C extends Call> = (replica: Replica, call: C) => Promise<A>;

const sendOwn: Send<Dispatcher.ResponseData, OwnCall> = (replica, { path, headers, signal }) =>
  replica.pool.request({ method: 'GET', path, headers, signal });

/**
 * Sends calls to replicas of an upstream. If a replica cannot be reached, the next one is tried; if it breaks off, only
 * when the call may be repeated. Throws UpstreamUnavailable when none answers.
 */
@Injectable()
export class UpstreamCalls {
  private readonly failures;

  constructor(
    private readonly replicas: UpstreamReplicas,
    metrics: Metrics,
  ) {
    this.failures = metrics.counter({
      name: 'lanyard_gateway_replica_failures_total',
      help: 'Requests that a replica did not answer',
      labelNames: ['upstream'],
    });
  }

  /** A call of the gateway itself. Returns the response with its body unread. Throws UpstreamUnavailable also after the time-out. */
  async get(
    upstream: Upstream,
    path: string,
    timeoutMs: number,
    headers: Call['headers'] = {},
  ): Promise<Dispatcher.ResponseData> {
    const signal = AbortSignal.timeout(timeoutMs);
    const call = { method: 'GET', path, headers: { accept: 'application/json', ...headers }, body: emptyBody, signal };
    try {
      return await this.onOneReplica(upstream, call, sendOwn);
    } catch (error) {
      throw error instanceof ServiceError ? error : new UpstreamUnavailable(upstream, error);
    }
  }

  /** A response that is passed on to the client unchanged. */
  pass(upstream: Upstream, call: ForwardedCall): Promise<UpstreamResponse> {
    return this.onOneReplica(upstream, call, forwardRequest);
  }

  private async onOneReplica<A, C extends Call>(upstream: Upstream, first: C, send: Send<A, C>): Promise<A> {
    let call = first;
    let cause: unknown;
    for (const replica of this.replicas.replicasOf(upstream).order()) {
      try {
        return await send(replica, call);
      } catch (error) {
        if (call.signal.aborted || error instanceof ClientGone || error instanceof ServiceError) throw error;
        cause = error;
        this.failures.inc({ upstream });
        if (failedToConnect(error)) replica.markUnreachable();
        else if (!wasReset(error) || !idempotent.has(call.method)) break;
        else call = repetitionOf(call);
        if (!call.body.repeatable()) break;
      }
    }
    throw new UpstreamUnavailable(upstream, cause);
  }
}

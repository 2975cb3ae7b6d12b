import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import {
  AccessDenied,
  bodyLimitBytes,
  CONFIG,
  type Identity,
  isWrongMethod,
  lacks,
  MethodNotAllowed,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../authentication/client-address.js';
import { GuessLimiter } from '../authentication/guess-limiter.js';
import { KeyAuthenticator } from '../authentication/key-authenticator.js';
import type { GatewayConfig } from '../config.js';
import { NoSuchPath } from '../errors.js';
import { allows } from '../permissions.js';
import type { Upstream } from '../upstreams.js';
import type { UpstreamResponse } from './upstream-response.js';
import { CallerWatch } from './caller-watch.js';
import { ClientDisconnect } from './client-disconnect.js';
import { downloadHeaders, requestHeaders, responseHeaders } from './headers.js';
import { DeviceScopes } from './device-scopes.js';
import { IdentityTokens } from './identity-tokens.js';
import { classifyRefusal } from './record-denied-requests.js';
import { emptyBody, requestBody, uploadBytesMax } from './request-body.js';
import { downloadsUpstream, permissionFor, routeOf, takesLargeBodies } from './routes.js';
import { stalledMs, UnreadResponses } from './unread-responses.js';
import { type Call, pollPath, UpstreamCalls } from './upstream-calls.js';

export type ProxiedRequest = FastifyRequest & {
  upstream?: Upstream;
  identity?: Identity;
};

export const pathOf = (url: string): string => url.split('?', 1)[0] as string;

/** Bytes that a stream counts at most: a page of a list is in memory as a whole, a file only in part. */
const streamBytesMax = 4 * 1_048_576;

/** Bytes that are in memory until the client has read them. A service bounds its streams of events itself. */
const bytesOf = ({ headers, body }: UpstreamResponse): number => {
  if (body === undefined || Buffer.isBuffer(body)) return body?.length ?? 0;
  if (headers['content-type']?.startsWith('text/event-stream')) return 0;
  return Math.min(streamBytesMax, Number(headers['content-length'] ?? streamBytesMax));
};

/** Larger bodies are not copied to save a write. */
const joinedBytesMax = 16_384;

/** Sends a buffered response. A short one is sent together with its header: Node joins latin1 strings. */
const sendBuffered = (
  reply: FastifyReply,
  { statusCode, headers }: UpstreamResponse,
  body: Buffer | undefined,
): FastifyReply => {
  const all = Object.assign(reply.getHeaders(), responseHeaders(headers)) as OutgoingHttpHeaders;
  reply.hijack().raw.writeHead(statusCode, all);
  if (body && body.length <= joinedBytesMax) reply.raw.end(body.toString('latin1'), 'latin1');
  else reply.raw.end(body);
  return reply;
};

/** Finds the upstream, authenticates and authorises the caller, then forwards the request and relays the response. */
@Injectable()
export class ProxyHandler {
  constructor(
    private readonly authenticator: KeyAuthenticator,
    private readonly tokens: IdentityTokens,
    private readonly upstreams: UpstreamCalls,
    private readonly guesses: GuessLimiter,
    private readonly scopes: DeviceScopes,
    private readonly watch: CallerWatch,
    private readonly unread: UnreadResponses,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  async handle(request: ProxiedRequest, reply: FastifyReply): Promise<unknown> {
    const path = pathOf(request.url);
    const route = routeOf(path);
    if (!route) throw isWrongMethod(request) ? new MethodNotAllowed() : new NoSuchPath();
    const { upstream } = route;
    request.upstream = upstream;
    const signal = new ClientDisconnect(reply.raw);
    const identity = await this.authenticator.authenticate(request);
    request.identity = identity;
    const needed = permissionFor(route, request.method);
    if (!allows(identity.permissions, needed)) throw new AccessDenied(lacks(needed));
    if (identity.deviceGroups) await this.scopes.admitRequest(identity, route, request.method, path);
    const refusal = this.unread.refusal(identity.accountId);
    if (refusal) throw refusal;
    const bytesMax = takesLargeBodies(request.method, path) ? uploadBytesMax : bodyLimitBytes;
    const body = await requestBody(request.raw, bytesMax);
    const from = sourceOf(request, this.config.trustedProxies);
    const headers = requestHeaders(request.raw.headers, this.tokens.tokenFor(identity, upstream), from);
    const call = { method: request.method, path: request.url, headers, body, signal };
    const response = await this.upstreams.pass(upstream, call);
    this.countUnread(identity, call, response, reply);
    if (response.statusCode === 403) classifyRefusal(request, response.body);
    if (response.body instanceof Readable) this.watch.follow(request, response.body);
    return this.passOn(response, reply);
  }

  /**
   * Counts the response until its client has read it. Throws RateLimited for a large read while the account has unread
   * responses. Responses to calls with effects are not refused.
   */
  private countUnread(
    { accountId }: Identity,
    { method, path }: Call,
    response: UpstreamResponse,
    { raw }: FastifyReply,
  ): void {
    const bytes = bytesOf(response);
    const isLargeRead = bytes > joinedBytesMax && method === 'GET' && pathOf(path) !== pollPath;
    const refusal = isLargeRead ? this.unread.refusal(accountId, bytes) : undefined;
    if (!refusal) return this.unread.count(accountId, bytes, raw);
    if (response.body instanceof Readable) response.body.destroy();
    throw refusal;
  }

  /** A package for a device, which has no key. An address that tries tickets is slowed down like one that tries keys. */
  async handleDownload(request: ProxiedRequest, reply: FastifyReply): Promise<unknown> {
    request.upstream = downloadsUpstream;
    const from = sourceOf(request, this.config.trustedProxies);
    this.guesses.admit(from.address);
    const headers = downloadHeaders(request.headers, from);
    const signal = new ClientDisconnect(reply.raw);
    const call = { method: request.method, path: request.url, headers, body: emptyBody, signal };
    const response = await this.upstreams.pass(downloadsUpstream, call);
    if (response.statusCode === 404) this.guesses.failed(from.address);
    // Not counted for the address, which many devices may share.
    reply.raw.setTimeout(stalledMs);
    return this.passOn(response, reply);
  }

  private passOn(response: UpstreamResponse, reply: FastifyReply): unknown {
    const { body } = response;
    if (body === undefined || Buffer.isBuffer(body)) return sendBuffered(reply, response, body);
    return reply.code(response.statusCode).headers(responseHeaders(response.headers)).send(body);
  }
}

import { AnyKey, Caller, CONFIG, type Identity, Operation, Public } from '@lanyard/service';
import { Body, Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../authentication/client-address.js';
import { GuessLimiter } from '../authentication/guess-limiter.js';
import { KeyAuthenticator } from '../authentication/key-authenticator.js';
import { isHttps, requireSameOrigin, requireSameOriginWrite } from '../authentication/origin.js';
import { sessionTokenIn } from '../authentication/session-authenticator.js';
import { sessionTokenOf, setSessionCookie } from '../authentication/session-cookie.js';
import { Sessions } from '../authentication/sessions.js';
import type { GatewayConfig } from '../config.js';
import { SessionRecord, SignIn } from './session-record.js';
import { SessionRecordsService } from './session-records.service.js';

/** Sessions of browsers. Programs send their key with every request instead. */
@ApiTags('Session')
@Controller('v3/session')
export class SessionController {
  constructor(
    private readonly authenticator: KeyAuthenticator,
    private readonly records: SessionRecordsService,
    private readonly sessions: Sessions,
    private readonly guesses: GuessLimiter,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Post()
  @Public()
  @Operation({
    summary: 'Sign in with an API key',
    description:
      'Sets the cookie `lanyard_session` (over https `__Host-lanyard_session`), which has the permissions that the key has at the time of each request. The session ends when the secret of the key does, after an hour without a request, and after 12 hours in any case (the defaults). ' +
      'With the cookie, a request that changes something needs the header `X-Requested-With: lanyard`. Refused sign-ins are slowed down like refused requests.',
    ok: SessionRecord,
  })
  async signIn(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: SignIn }) { api_key: key }: SignIn,
  ): Promise<SessionRecord> {
    // Otherwise another page could sign its visitor in to an account of its own.
    requireSameOrigin(request.headers, this.config);
    const proven = await this.authenticator.proveKey(key, request);
    const from = sourceOf(request, this.config.trustedProxies);
    const former = sessionTokenOf(request.headers, this.config);
    const { record, token } = await this.records.open(proven, from, { former });
    this.setCookie(request, reply, token);
    return record;
  }

  @AnyKey()
  @Get()
  @Operation({
    summary: 'Show who is signed in',
    description: 'Shows the key or the user of the session cookie or of the bearer token.',
    ok: SessionRecord,
  })
  show(@Req() { headers }: FastifyRequest, @Caller() caller: Identity) {
    return this.records.show(caller.keyId, sessionTokenIn(headers, this.config));
  }

  @Delete()
  @Public()
  // A page has a cookie instead of the token; without either there is nothing to end.
  @ApiSecurity({})
  @ApiSecurity('bearer')
  @Operation({
    summary: 'Sign out',
    description:
      'Ends the session on all replicas and deletes the cookie. The answer is also 204 if the session has already ended.',
  })
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    const token = sessionTokenIn(request.headers, this.config);
    if (token === undefined) return;
    const isPage = request.headers.authorization === undefined;
    if (isPage) requireSameOriginWrite(request.method, request.headers, this.config);
    const { address } = sourceOf(request, this.config.trustedProxies);
    if (!this.sessions.isKnown(token)) this.guesses.admit(address);
    if (!(await this.sessions.endSession(token))) this.guesses.failed(address);
    if (isPage) this.setCookie(request, reply, undefined);
  }

  private setCookie({ headers }: FastifyRequest, reply: FastifyReply, token: string | undefined): void {
    const maxAgeSeconds = this.config.sessions.maxMs / 1_000;
    reply.header('set-cookie', setSessionCookie(token, maxAgeSeconds, isHttps(headers, this.config)));
  }
}

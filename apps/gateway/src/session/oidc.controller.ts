import { CONFIG, type Logger, LOGGER, Operation, Public, RateLimited, ServiceError } from '@lanyard/service';
import { Body, Controller, Get, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Source, sourceOf } from '../authentication/client-address.js';
import { GuessLimiter } from '../authentication/guess-limiter.js';
import { isHttps } from '../authentication/origin.js';
import { bearerPrefix, sessionTokenOf, setSessionCookie } from '../authentication/session-cookie.js';
import type { GatewayConfig } from '../config.js';
import { AccountSuspended, NoRole, SignInFailed, UserInactive } from '../errors.js';
import { attemptOf, defaultPath, type KeptAttempt, returnPath, setAttemptCookie } from './oidc-attempt.js';
import { type Grant, OidcProvider } from './oidc-provider.js';
import { DeviceCode, DeviceFlow, OidcOffer, ProgramSession } from './oidc-record.js';
import { OidcSignInService } from './oidc-sign-in.service.js';

/** The reason that the page shows; details are in the log, under the request id. */
const reasonOf = (error: unknown): string => {
  if (error instanceof NoRole) return 'no_role';
  return error instanceof UserInactive || error instanceof AccountSuspended ? 'denied' : 'failed';
};

/** Signing in with an OpenID provider: in a browser, and for programs without one. */
@ApiTags('Session')
@Public()
@Controller('v3/session/oidc')
export class OidcController {
  constructor(
    private readonly provider: OidcProvider,
    private readonly signIn: OidcSignInService,
    private readonly guesses: GuessLimiter,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get()
  @Operation({
    summary: 'Show whether people sign in with OpenID Connect',
    description: 'Used by the sign-in page, which has no key yet.',
    ok: OidcOffer,
  })
  offer(): OidcOffer {
    return { object: 'oidc', enabled: this.provider.isOn, name: this.config.oidc?.name ?? null };
  }

  /** A page, not an operation: redirects to the provider. `return_to` is a path of the console. */
  @Get('start')
  @ApiExcludeEndpoint()
  async start(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query('return_to') path?: unknown) {
    this.guesses.admit(sourceOf(request, this.config.trustedProxies).address);
    const attempt = { ...this.provider.newAttempt(), returnTo: returnPath(path) };
    const url = await this.provider.authorizationUrl(attempt);
    reply.header('set-cookie', setAttemptCookie(attempt, isHttps(request.headers, this.config)));
    return reply.redirect(url.href, 302);
  }

  /** The provider redirects back to this page. A failure redirects to the console with `sign_in_error` and the request id. */
  @Get('callback')
  @ApiExcludeEndpoint()
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const isSecure = isHttps(request.headers, this.config);
    const kept = attemptOf(request.headers, isSecure);
    const from = sourceOf(request, this.config.trustedProxies);
    reply.header('set-cookie', setAttemptCookie(undefined, isSecure));
    try {
      this.guesses.admit(from.address);
      const query = new URL(request.url, this.provider.settings.redirectUri).search;
      if (new URLSearchParams(query).get('error') === 'access_denied') {
        this.guesses.failed(from.address);
        this.signIn.recordRefusal(from);
        return this.toError(reply, 'denied', from);
      }
      const former = sessionTokenOf(request.headers, this.config);
      const { token } = await this.signIn.open(() => this.redeem(query, kept), from, former);
      reply.header('set-cookie', setSessionCookie(token, this.config.sessions.maxMs / 1_000, isSecure));
      return reply.redirect(kept?.returnTo ?? defaultPath, 302);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // One that has to wait was not checked.
      if (!(error instanceof RateLimited)) this.guesses.failed(from.address);
      this.logger.info({ err: error, requestId: from.requestId }, 'a sign-in failed');
      return this.toError(reply, reasonOf(error), from);
    }
  }

  @Post('device')
  @Operation({
    summary: 'Start the device flow',
    description:
      'Starts the device flow (RFC 8628): show `verification_uri` and `user_code` to the person, then poll for the session every `interval` seconds.',
    ok: DeviceFlow,
    notFound: 'OpenID Connect is not configured',
  })
  async beginDevice(@Req() request: FastifyRequest): Promise<DeviceFlow> {
    const from = sourceOf(request, this.config.trustedProxies);
    this.guesses.admit(from.address);
    // Each of these requests asks the provider, so they are limited like wrong keys.
    this.guesses.failed(from.address);
    const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } =
      await this.provider.beginDevice();
    const complete = verification_uri_complete !== undefined && { verification_uri_complete };
    return { device_code, user_code, verification_uri, ...complete, expires_in, interval: interval ?? 5 };
  }

  @Post('device/token')
  @Operation({
    summary: 'Poll for the session of the device flow',
    description:
      'Answers 400 with the type `authorization_pending` or `slow_down` until the person has signed in; then it answers 200 with the session, once. Send `token` as a bearer token. The session ends like that of a browser.',
    ok: ProgramSession,
    notFound: 'OpenID Connect is not configured',
  })
  async pollDevice(
    @Req() request: FastifyRequest,
    @Body({ schema: DeviceCode }) { device_code: deviceCode }: DeviceCode,
  ): Promise<ProgramSession> {
    const from = sourceOf(request, this.config.trustedProxies);
    this.guesses.admit(from.address);
    this.guesses.failed(from.address);
    const { record, token } = await this.signIn.open(() => this.provider.pollDevice(deviceCode), from);
    return { ...record, token: bearerPrefix + token };
  }

  /** `kept`: undefined if another browser began the sign-in, or none did. */
  private async redeem(query: string, kept: KeptAttempt | undefined): Promise<Grant> {
    if (!kept) throw new SignInFailed();
    return this.provider.redeem(query, kept);
  }

  private toError(reply: FastifyReply, reason: string, { requestId }: Source): FastifyReply {
    return reply.redirect(
      `${defaultPath}?${new URLSearchParams({ sign_in_error: reason, request_id: requestId })}`,
      302,
    );
  }
}

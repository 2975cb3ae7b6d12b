import { CONFIG } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import * as client from 'openid-client';
import type { KeepToken } from '../authentication/sessions.js';
import type { GatewayConfig, OidcConfig } from '../config.js';
import { DeviceGrantPending, ProviderUnavailable, SignInFailed, SignInOff } from '../errors.js';

const timeoutSeconds = 10;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** What the provider says about a person who has signed in. */
export interface Grant {
  subject: string;
  /** Claims of the ID token and the userinfo endpoint. */
  claims: Readonly<Record<string, unknown>>;
  /** How long the grant is valid. */
  seconds: number;
  refreshToken?: string | undefined;
}

/** What a browser keeps while its person is at the provider. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
}

const devicePending = ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'] as const;

/** The status of an answer that is no success. */
const statusIn = (error: unknown): number => {
  if (error instanceof client.ResponseBodyError) return error.status;
  return error instanceof client.ClientError && error.cause instanceof Response ? error.cause.status : 0;
};

/** Whether the provider refused the request, in contrast to giving no answer, or only that it is overloaded or down. */
const isRefusal = (error: unknown): boolean => {
  const status = statusIn(error);
  if (status === 429 || status >= 500) return false;
  return (
    error instanceof client.ResponseBodyError ||
    error instanceof client.AuthorizationResponseError ||
    (error instanceof client.ClientError && !/^OAUTH_(TIMEOUT|ABORT)$/.test(error.code ?? ''))
  );
};

/**
 * The OpenID provider, over `openid-client`, which checks issuer, audience, nonce and times of ID tokens. These come directly
 * from the token endpoint, so TLS proves their origin in place of a signature (OpenID Connect Core §3.1.3.7).
 */
@Injectable()
export class OidcProvider {
  private discovered: Promise<client.Configuration> | undefined;

  constructor(@Inject(CONFIG) private readonly config: GatewayConfig) {}

  get isOn(): boolean {
    return this.config.oidc !== undefined;
  }

  /** Throws SignInOff. */
  get settings(): OidcConfig {
    const { oidc } = this.config;
    if (!oidc) throw new SignInOff();
    return oidc;
  }

  newAttempt(): Attempt {
    return {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
  }

  /** Where the browser goes: authorization code with PKCE (RFC 7636). */
  async authorizationUrl({ state, nonce, verifier }: Attempt): Promise<URL> {
    const { scopes, redirectUri } = this.settings;
    return client.buildAuthorizationUrl(await this.discover(), {
      redirect_uri: redirectUri.href,
      scope: scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** Redeems the code in the query of the callback. Throws SignInFailed, ProviderUnavailable. */
  async redeem(query: string, { state, nonce, verifier }: Attempt): Promise<Grant> {
    const url = new URL(this.settings.redirectUri);
    url.search = query;
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    return this.grant((provider) => client.authorizationCodeGrant(provider, url, checks));
  }

  /** Throws SignInFailed if the provider does not know the token any more. `keep` gets the next one, if there is one. */
  refresh(refreshToken: string, subject: string, keep: KeepToken): Promise<Grant> {
    return this.grant(async (provider) => {
      const tokens = await client.refreshTokenGrant(provider, refreshToken);
      if (tokens.refresh_token !== undefined) await keep(tokens.refresh_token);
      return tokens;
    }, subject);
  }

  /** Starts the device flow (RFC 8628 §3.1). Throws SignInOff, ProviderUnavailable. */
  async beginDevice(): Promise<Awaited<ReturnType<typeof client.initiateDeviceAuthorization>>> {
    const { scopes } = this.settings;
    const provider = await this.discover();
    return client.initiateDeviceAuthorization(provider, { scope: scopes }).catch((cause: unknown) => {
      throw new ProviderUnavailable(cause);
    });
  }

  /** One poll (RFC 8628 §3.4). Throws what `redeem` throws, and DeviceGrantPending for each error of RFC 8628 §3.5. */
  pollDevice(deviceCode: string): Promise<Grant> {
    return this.grant((provider) =>
      client.genericGrantRequest(provider, deviceGrant, { device_code: deviceCode }).catch((error: unknown) => {
        const code = error instanceof client.ResponseBodyError ? error.error : '';
        const known = devicePending.find((one) => one === code);
        throw known ? new DeviceGrantPending(known) : error;
      }),
    );
  }

  private async grant(
    requestTokens: (
      provider: client.Configuration,
    ) => Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers>,
    knownSubject?: string,
  ): Promise<Grant> {
    const provider = await this.discover();
    try {
      const tokens = await requestTokens(provider);
      const claims = tokens.claims();
      const subject = claims?.sub ?? knownSubject;
      if (subject === undefined || (knownSubject !== undefined && subject !== knownSubject)) throw new SignInFailed();
      const { userinfo_endpoint: endpoint } = provider.serverMetadata();
      const info = endpoint ? await client.fetchUserInfo(provider, tokens.access_token, subject) : {};
      const seconds = tokens.expires_in ?? (claims ? claims.exp - claims.iat : 0);
      return { subject, claims: { ...info, ...claims }, seconds, refreshToken: tokens.refresh_token };
    } catch (error) {
      if (error instanceof SignInFailed || error instanceof DeviceGrantPending) throw error;
      throw isRefusal(error) ? new SignInFailed() : new ProviderUnavailable(error);
    }
  }

  /** Runs once; after a failure, the next request tries again. */
  private discover(): Promise<client.Configuration> {
    this.discovered ??= this.readConfiguration().catch((error: unknown) => {
      this.discovered = undefined;
      throw new ProviderUnavailable(error);
    });
    return this.discovered;
  }

  private readConfiguration(): Promise<client.Configuration> {
    const { issuer, clientId } = this.settings;
    const { oidcClientSecret: secret } = this.config.secrets;
    const authentication = secret === undefined ? client.None() : client.ClientSecretBasic(secret);
    // The configuration accepts http only for this machine itself.
    const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
    return client.discovery(issuer, clientId, undefined, authentication, { timeout: timeoutSeconds, execute });
  }
}

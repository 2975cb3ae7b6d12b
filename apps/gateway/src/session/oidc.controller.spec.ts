import { expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GuessLimiter } from '../authentication/guess-limiter.js';
import type { GatewayConfig } from '../config.js';
import { OidcController } from './oidc.controller.js';
import type { OidcProvider } from './oidc-provider.js';
import type { OidcSignInService } from './oidc-sign-in.service.js';

it('counts a callback that says that the person was denied like a wrong key: anyone may send it', async () => {
  const failed: string[] = [];
  const guesses = { admit: () => undefined, failed: (address: string) => void failed.push(address) };
  const settings = { redirectUri: new URL('https://lanyard.example/v3/session/oidc/callback') };
  const controller = new OidcController(
    { settings } as unknown as OidcProvider,
    { recordRefusal: () => undefined } as unknown as OidcSignInService,
    guesses as unknown as GuessLimiter,
    { trustedProxies: 0 } as unknown as GatewayConfig,
    createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
  );
  const raw = { headers: {}, socket: { remoteAddress: '192.0.2.1' } };
  const request = { raw, headers: {}, url: '/v3/session/oidc/callback?error=access_denied', id: 'r' };
  const reply = { header: () => undefined, redirect: (url: string) => url };
  const answer = await controller.callback(request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  expect([answer, failed]).toEqual(['/console?sign_in_error=denied&request_id=r', ['192.0.2.1']]);
});

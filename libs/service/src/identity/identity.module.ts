import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import type { Clock } from '../clock.js';
import type { ServiceConfig } from '../config/common.js';
import { CLOCK, CONFIG } from '../tokens.js';
import { DeclaredAccess } from './declared-access.js';
import { AUTHENTICATOR, IdentityGuard, TokenAuthenticator } from './guard.js';

/** The guard in front of every route. The app provides its AUTHENTICATOR. */
@Module({
  imports: [DiscoveryModule],
  providers: [{ provide: APP_GUARD, useClass: IdentityGuard }, DeclaredAccess],
})
export class GuardModule {}

/** For services behind the gateway, whose callers show a token that the gateway signed. */
@Global()
@Module({
  providers: [
    {
      provide: AUTHENTICATOR,
      inject: [CONFIG, CLOCK],
      useFactory: ({ app, secrets }: ServiceConfig, clock: Clock) =>
        new TokenAuthenticator(app, secrets.identityKeys, clock),
    },
  ],
  exports: [AUTHENTICATOR],
})
export class IdentityModule {}

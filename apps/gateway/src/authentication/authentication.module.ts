import { AUTHENTICATOR } from '@lanyard/service';
import { Global, Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { Backoff } from './backoff.js';
import { GuessLimiter } from './guess-limiter.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { KeyReader } from './key-reader.js';
import { KnownKeys } from './known-keys.js';
import { LastLogins } from './last-logins.js';
import { Refusals } from './refusals.js';
import { SessionAuthenticator } from './session-authenticator.js';
import { SessionSweeper } from './session-sweeper.js';
import { Sessions } from './sessions.js';

/** Authenticates callers by their API keys and sessions. Global: the guard in front of every route asks AUTHENTICATOR. */
@Global()
@Module({
  imports: [LimitsModule],
  providers: [
    Backoff,
    GuessLimiter,
    KeyReader,
    KnownKeys,
    LastLogins,
    Refusals,
    Sessions,
    SessionSweeper,
    SessionAuthenticator,
    KeyAuthenticator,
    { provide: AUTHENTICATOR, useExisting: KeyAuthenticator },
  ],
  exports: [GuessLimiter, AUTHENTICATOR, KeyAuthenticator, KnownKeys, Refusals, SessionAuthenticator, Sessions],
})
export class AuthenticationModule {}

import { Module } from '@nestjs/common';
import { ProducerModule } from '../producer/producer.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { Authentication } from './authentication.js';
import { CredentialIndex } from './credential-index.js';
import { CredentialRevocation } from './credential-revocation.js';
import { DtlsDeviceAuthenticator } from './dtls-device-authenticator.js';
import { Refusals } from './refusals.js';
import { TlsAuthenticator } from './tls-authenticator.js';

@Module({
  imports: [SessionsModule, ProducerModule, StateModule],
  providers: [
    CredentialIndex,
    Refusals,
    Authentication,
    TlsAuthenticator,
    DtlsDeviceAuthenticator,
    CredentialRevocation,
  ],
  exports: [CredentialIndex, Refusals, TlsAuthenticator, DtlsDeviceAuthenticator],
})
export class CredentialsModule {}

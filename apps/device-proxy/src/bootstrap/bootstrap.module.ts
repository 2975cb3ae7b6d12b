import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { IntakeModule } from '../intake/intake.module.js';
import { ListenersModule } from '../listeners/listeners.module.js';
import { ProducerModule } from '../producer/producer.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { TransportModule } from '../transport/transport.module.js';
import { BootstrapAborts } from './bootstrap-aborts.js';
import { BootstrapAdmission } from './bootstrap-admission.js';
import { BootstrapFacts } from './bootstrap-facts.js';
import { Bootstraps } from './bootstraps.js';
import { CredentialServices } from './credential-services.js';
import { Profiles } from './profiles.js';
import { ProvisionalCredentials } from './provisional-credentials.js';
import { RawPublicKeys } from './raw-public-keys.js';
import { RunningBootstraps } from './running-bootstraps.js';

@Module({
  imports: [
    IntakeModule,
    CredentialsModule,
    ListenersModule,
    ProducerModule,
    SessionsModule,
    StateModule,
    TransportModule,
  ],
  providers: [
    BootstrapAborts,
    BootstrapAdmission,
    BootstrapFacts,
    Bootstraps,
    CredentialServices,
    Profiles,
    ProvisionalCredentials,
    RawPublicKeys,
    RunningBootstraps,
  ],
  exports: [Bootstraps, CredentialServices, ProvisionalCredentials, RunningBootstraps],
})
export class BootstrapModule {}

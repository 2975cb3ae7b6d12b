import { Module } from '@nestjs/common';
import { AuthenticationModule } from '../authentication/authentication.module.js';
import { AccessModule } from '../access/access.module.js';
import { OidcController } from './oidc.controller.js';
import { OidcProvider } from './oidc-provider.js';
import { OidcSignInService } from './oidc-sign-in.service.js';
import { SessionController } from './session.controller.js';
import { SessionRecordsService } from './session-records.service.js';

@Module({
  imports: [AuthenticationModule, AccessModule],
  controllers: [SessionController, OidcController],
  providers: [SessionRecordsService, OidcProvider, OidcSignInService],
})
export class SessionModule {}

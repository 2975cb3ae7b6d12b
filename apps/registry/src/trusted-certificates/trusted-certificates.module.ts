import { Module } from '@nestjs/common';
import { ExpiringCertificatesController } from './expiring-certificates.controller.js';
import { ExpiringCertificates } from './expiring-certificates.js';
import { TrustedCertificatesController } from './trusted-certificates.controller.js';
import { TrustedCertificatesService } from './trusted-certificates.service.js';

@Module({
  controllers: [TrustedCertificatesController, ExpiringCertificatesController],
  providers: [TrustedCertificatesService, ExpiringCertificates],
})
export class TrustedCertificatesModule {}

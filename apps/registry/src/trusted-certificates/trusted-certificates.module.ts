import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { TrustedCertificatesController } from './trusted-certificates.controller.js';
import { TrustedCertificatesService } from './trusted-certificates.service.js';

@Module({
  imports: [DevicesModule],
  controllers: [TrustedCertificatesController],
  providers: [TrustedCertificatesService],
})
export class TrustedCertificatesModule {}

import { AttentionList, ListParameters, type ListRequest, Operation, RequiresPermission } from '@lanyard/service';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ExpiringCertificates } from './expiring-certificates.js';

@ApiTags('Attention')
@RequiresPermission('devices.read')
@Controller('v3/attention/expiring-certificates')
export class ExpiringCertificatesController {
  constructor(private readonly certificates: ExpiringCertificates) {}

  @Get()
  @Operation({
    summary: 'List certificates that expire soon',
    description:
      'Lists the certificates of devices, and the active trusted certificates, that expire in the next 30 days or have expired.',
    ok: AttentionList,
  })
  list(@ListParameters({ filters: {} }) query: ListRequest) {
    return this.certificates.list(query.caller.accountId, query);
  }
}

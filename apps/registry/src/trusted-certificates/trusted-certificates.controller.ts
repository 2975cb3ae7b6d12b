import {
  ConditionalRequest,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiConflictResponse, ApiTags } from '@nestjs/swagger';
import {
  NewTrustedCertificate,
  TrustedCertificateChanges,
  trustedPerAccountMax,
  TrustedCertificate,
} from './fields.js';
import { TrustedCertificatesService, trustedListSpec } from './trusted-certificates.service.js';

@ApiTags('Trusted certificates')
@Controller('v3/trusted-certificates')
export class TrustedCertificatesController {
  constructor(private readonly trusted: TrustedCertificatesService) {}

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List trusted certificates',
    description: 'Lists the certificate authorities whose device certificates the account accepts.',
    ok: listSchema(TrustedCertificate, 'TrustedCertificateList'),
  })
  list(@ListParameters(trustedListSpec, 'TrustedCertificateFilters') query: ListRequest) {
    return this.trusted.list(query.caller.accountId, query);
  }

  @RequiresPermission('devices.credentials')
  @Post()
  @Operation({
    summary: 'Create a trusted certificate',
    description: `A device that presents a certificate signed by this authority is identified by the common name, or as \`endpoint_name_from\` says. With \`enrollment_mode\`, the device need not exist in the directory. \`signature\` proves that the authority is yours: \`printf %s <account id> | openssl dgst -sha256 -sign ca.key | base64 -w0\`. Without a signature the certificate stays INACTIVE until a PUT supplies one with status ACTIVE. At most ${trustedPerAccountMax} per account.`,
    created: TrustedCertificate,
  })
  @ApiConflictResponse({
    description: 'The certificate is already trusted, or the account has the maximum number of trusted certificates',
  })
  create(
    @CurrentRequest() { caller }: RequestContext,
    @Body({ schema: NewTrustedCertificate }) body: NewTrustedCertificate,
  ) {
    return this.trusted.create(caller, body);
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show a trusted certificate',
    description: 'Includes the revoked serial numbers.',
    ok: TrustedCertificate,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.trusted.get(caller.accountId, id);
  }

  @RequiresPermission('devices.credentials')
  @Put(':id')
  @Operation({
    summary: 'Change a trusted certificate',
    description: 'Changes only the given fields. Devices whose certificate the change revokes are disconnected.',
    ok: TrustedCertificate,
  })
  change(
    @ConditionalRequest() { caller, id, ifMatch }: RequestContext,
    @Body({ schema: TrustedCertificateChanges }) body: TrustedCertificateChanges,
  ) {
    return this.trusted.change(caller, id, body, ifMatch);
  }

  @RequiresPermission('devices.credentials')
  @Delete(':id')
  @Operation({
    summary: 'Delete a trusted certificate',
    description:
      'Devices that connected with a certificate of this authority are disconnected, and their registrations end.',
  })
  remove(@ConditionalRequest() { caller, id, ifMatch }: RequestContext) {
    return this.trusted.remove(caller, id, ifMatch);
  }
}

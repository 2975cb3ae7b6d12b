import {
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
  ListParameters,
  type ListQuery,
  listSchema,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Headers, Param, Post, Put, UseInterceptors } from '@nestjs/common';
import { ApiConflictResponse, ApiTags } from '@nestjs/swagger';
import {
  type NewTrustedCertificate,
  NewTrustedCertificateSchema,
  type TrustedCertificate,
  type TrustedCertificateChanges,
  TrustedCertificateChangesSchema,
  trustedPerAccountMax,
  TrustedCertificateSchema,
} from './fields.js';
import { TrustedCertificatesService, trustedListSpec } from './trusted-certificates.service.js';

@ApiTags('Trusted certificates')
@UseInterceptors(EtagHeader)
@Controller('v3/trusted-certificates')
export class TrustedCertificatesController {
  constructor(private readonly trusted: TrustedCertificatesService) {}

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List trusted certificates',
    description: 'Certificate authorities whose device certificates the account accepts.',
    ok: listSchema(TrustedCertificateSchema, 'TrustedCertificateList'),
  })
  list(
    @Caller() caller: Identity,
    @ListParameters(trustedListSpec, 'TrustedCertificateFilters') query: ListQuery,
  ): Promise<ListEnvelope<TrustedCertificate>> {
    return this.trusted.list(caller.accountId, query);
  }

  @RequiresPermission('devices.credentials')
  @Post()
  @Operation({
    summary: 'Create a trusted certificate',
    description: `A device that presents a certificate signed by this authority is identified by the common name. With \`enrollment_mode\`, the device need not exist in the directory. \`signature\` proves that the authority is yours: \`printf %s <account id> | openssl dgst -sha256 -sign ca.key | base64 -w0\`. Without a signature the certificate stays INACTIVE until a PUT supplies one with status ACTIVE. At most ${trustedPerAccountMax} per account.`,
    created: TrustedCertificateSchema,
  })
  @ApiConflictResponse({
    description: 'The certificate is already trusted, or the account has the maximum number of trusted certificates',
  })
  create(
    @Caller() caller: Identity,
    @Body({ schema: NewTrustedCertificateSchema }) body: NewTrustedCertificate,
  ): Promise<TrustedCertificate> {
    return this.trusted.create(caller, body);
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show a trusted certificate',
    description: 'Includes the revoked serial numbers.',
    ok: TrustedCertificateSchema,
  })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<TrustedCertificate> {
    return this.trusted.get(caller.accountId, id);
  }

  @RequiresPermission('devices.credentials')
  @Put(':id')
  @Operation({
    summary: 'Change a trusted certificate',
    description: 'Changes only the given fields. Devices whose certificate the change revokes are disconnected.',
    ok: TrustedCertificateSchema,
  })
  change(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: TrustedCertificateChangesSchema }) body: TrustedCertificateChanges,
    @Headers('if-match') ifMatch?: string,
  ): Promise<TrustedCertificate> {
    return this.trusted.change(caller, id, body, ifMatch);
  }

  @RequiresPermission('devices.credentials')
  @Delete(':id')
  @Operation({
    summary: 'Delete a trusted certificate',
    description:
      'Devices that connected with a certificate of this authority are disconnected, and their registrations end.',
  })
  remove(@Caller() caller: Identity, @Param('id') id: string, @Headers('if-match') ifMatch?: string): Promise<void> {
    return this.trusted.remove(caller, id, ifMatch);
  }
}

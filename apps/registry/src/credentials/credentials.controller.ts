import {
  CurrentRequest,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiConflictResponse, ApiTags } from '@nestjs/swagger';
import { CreatedCredential, Credential, credentialsPerDeviceMax, NewCredential } from './credential-fields.js';
import { credentialListSpec, CredentialsService } from './credentials.service.js';

@ApiTags('Credentials')
@Controller('v3/devices/:id/credentials')
export class CredentialsController {
  constructor(private readonly credentials: CredentialsService) {}

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List the credentials of a device',
    description:
      'Lists the pre-shared keys, certificates and public keys with which the device may connect. The keys themselves are not returned.',
    ok: listSchema(Credential, 'DeviceCredentialList', true),
  })
  list(@Param('id') id: string, @ListParameters(credentialListSpec, 'DeviceCredentialFilters') query: ListRequest) {
    return this.credentials.list(query.caller.accountId, id, query);
  }

  @RequiresPermission('devices.credentials')
  @Post()
  @Operation({
    summary: 'Create a credential of a device',
    description: `A pre-shared key (\`kind: psk\`; identity and key are generated when omitted), the certificate of the device (\`kind: certificate\`), or its public key (\`kind: raw_public_key\`, for DTLS). The response is the only one that contains the key: store it now. A device has at most ${credentialsPerDeviceMax} credentials of operators, all valid at the same time. A credential with the service \`bootstrap\` is valid for bootstrapping only (see \`/v3/bootstrap-profiles\`).`,
    created: CreatedCredential,
  })
  @ApiConflictResponse({
    description:
      'The identity, certificate or public key is already in use, or the device has the maximum number of credentials',
  })
  create(@CurrentRequest() { caller, id }: RequestContext, @Body({ schema: NewCredential }) body: NewCredential) {
    return this.credentials.create(caller, id, body);
  }

  @RequiresPermission('devices.read')
  @Get(':credentialId')
  @Operation({
    summary: 'Show a credential of a device',
    description: 'The key itself is returned only in the response that created it.',
    ok: Credential,
  })
  get(@CurrentRequest() { caller, id }: RequestContext, @Param('credentialId') credentialId: string) {
    return this.credentials.get(caller.accountId, id, credentialId);
  }

  @RequiresPermission('devices.credentials')
  @Delete(':credentialId')
  @Operation({
    summary: 'Delete a credential of a device',
    description: 'Closes the connections that were authenticated with it and ends their registrations.',
  })
  remove(@CurrentRequest() { caller, id }: RequestContext, @Param('credentialId') credentialId: string) {
    return this.credentials.remove(caller, id, credentialId);
  }
}

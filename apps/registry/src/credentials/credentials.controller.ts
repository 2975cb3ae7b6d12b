import {
  Caller,
  type Identity,
  type ListEnvelope,
  ListParameters,
  type ListQuery,
  listSchema,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiConflictResponse, ApiTags } from '@nestjs/swagger';
import {
  CreatedCredentialSchema,
  type CreatedCredential,
  type Credential,
  CredentialSchema,
  credentialsPerDeviceMax,
  type NewCredential,
  NewCredentialSchema,
} from './credential-fields.js';
import { credentialListSpec, CredentialsService } from './credentials.service.js';

@ApiTags('Credentials')
@Controller('v3/devices/:id/credentials')
export class CredentialsController {
  constructor(private readonly credentials: CredentialsService) {}

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List the credentials of a device',
    description: 'Pre-shared keys and certificates with which the device may connect, without the keys themselves.',
    ok: listSchema(CredentialSchema, 'DeviceCredentialList'),
  })
  list(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @ListParameters(credentialListSpec, 'DeviceCredentialFilters') query: ListQuery,
  ): Promise<ListEnvelope<Credential>> {
    return this.credentials.list(caller.accountId, id, query);
  }

  @RequiresPermission('devices.credentials')
  @Post()
  @Operation({
    summary: 'Create a credential of a device',
    description: `A pre-shared key (\`kind: psk\`; identity and key are generated when omitted) or the certificate of the device (\`kind: certificate\`). The response is the only one that contains the key: store it now. A device has at most ${credentialsPerDeviceMax} credentials, all valid at the same time.`,
    created: CreatedCredentialSchema,
  })
  @ApiConflictResponse({
    description: 'The identity or certificate is already in use, or the device has the maximum number of credentials',
  })
  create(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: NewCredentialSchema }) body: NewCredential,
  ): Promise<CreatedCredential> {
    return this.credentials.create(caller, id, body);
  }

  @RequiresPermission('devices.read')
  @Get(':credentialId')
  @Operation({
    summary: 'Show a credential of a device',
    description: 'The key itself is shown only in the response that created it.',
    ok: CredentialSchema,
  })
  get(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Param('credentialId') credentialId: string,
  ): Promise<Credential> {
    return this.credentials.get(caller.accountId, id, credentialId);
  }

  @RequiresPermission('devices.credentials')
  @Delete(':credentialId')
  @Operation({
    summary: 'Delete a credential of a device',
    description: 'Closes the connections that were authenticated with it and ends their registrations.',
  })
  remove(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Param('credentialId') credentialId: string,
  ): Promise<void> {
    return this.credentials.remove(caller, id, credentialId);
  }
}

import {
  ApiListQuery,
  Caller,
  type Identity,
  type ListEnvelope,
  listSchema,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
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
  constructor(@Inject(CredentialsService) private readonly credentials: CredentialsService) {}

  @RequiresPermission('devices.read')
  @Get()
  @ApiOperation({
    summary: 'List the credentials of a device',
    description: 'Pre-shared keys and certificates with which the device may connect, without the keys themselves.',
  })
  @ApiListQuery(credentialListSpec, 'DeviceCredentialFilters')
  @ApiOkResponse({ standardSchema: listSchema(CredentialSchema, 'DeviceCredentialList') })
  list(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<Credential>> {
    return this.credentials.list(caller.accountId, id, parseListQuery(query, credentialListSpec));
  }

  @RequiresPermission('devices.credentials')
  @Post()
  @ApiOperation({
    summary: 'Create a credential of a device',
    description: `A pre-shared key (\`kind: psk\`; what is left out of identity and key is generated) or its certificate (\`kind: certificate\`). The key is in this answer and nowhere else. At most ${credentialsPerDeviceMax} at a time; all of them are valid.`,
  })
  @ApiCreatedResponse({ standardSchema: CreatedCredentialSchema })
  @ApiConflictResponse({ description: 'In use already, or the device has as many as it may have' })
  create(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: NewCredentialSchema }) body: NewCredential,
  ): Promise<CreatedCredential> {
    return this.credentials.create(caller, id, body);
  }

  @RequiresPermission('devices.read')
  @Get(':credentialId')
  @ApiOperation({
    summary: 'Show a credential of a device',
    description: 'The key itself is shown only in the response that created it.',
  })
  @ApiOkResponse({ standardSchema: CredentialSchema })
  get(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Param('credentialId') credentialId: string,
  ): Promise<Credential> {
    return this.credentials.get(caller.accountId, id, credentialId);
  }

  @RequiresPermission('devices.credentials')
  @Delete(':credentialId')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a credential of a device',
    description: 'Connections that were authenticated with it are closed, and their registration ends.',
  })
  @ApiNoContentResponse()
  remove(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Param('credentialId') credentialId: string,
  ): Promise<void> {
    return this.credentials.remove(caller, id, credentialId);
  }
}

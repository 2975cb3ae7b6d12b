import {
  Caller,
  type Identity,
  ListParameters,
  type ListRequest,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { tooManyChanges } from '../limits.js';
import { SigningSecrets } from '../channels/signing-secrets.js';
import { CreatedSecret, createdView, SecretList, secretsPage, secretsSpec } from './signing-secret-views.js';

/** Secrets with which messages to the callback of the key are signed (Standard Webhooks 1.0). */
@ApiTags('Notifications')
@RequiresPermission('notifications')
@Controller('v2/notification/callback/signing-secrets')
export class SigningSecretsController {
  constructor(private readonly secrets: SigningSecrets) {}

  @Post()
  @ApiOperation({
    summary: 'Create a signing secret',
    description:
      'From then on every message carries the headers webhook-id, webhook-timestamp and webhook-signature, with one signature per secret. To rotate a secret, create a new one, let the application accept both, then delete the old one.',
  })
  @ApiCreatedResponse({
    standardSchema: CreatedSecret,
    description: 'Created; this is the only response that contains the secret',
  })
  @ApiResponse({ status: 404, description: 'CHANNEL_NOT_FOUND: the key has no callback channel' })
  @ApiResponse({ status: 409, description: 'SIGNING_SECRETS_EXCEEDED: the callback already has three' })
  @ApiResponse(tooManyChanges)
  async make(@Caller() caller: Identity): Promise<CreatedSecret> {
    return createdView(await this.secrets.make(caller));
  }

  @Get()
  @Operation({
    summary: 'List signing secrets',
    description: 'Ids and creation times. The secret itself appears only in the response that created it.',
    ok: SecretList,
    notFound: 'CHANNEL_NOT_FOUND',
  })
  async list(@ListParameters(secretsSpec) query: ListRequest) {
    return secretsPage(await this.secrets.list(query.caller), query);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete a signing secret',
    description:
      'Messages are no longer signed with this secret. After the last one is deleted, messages are unsigned.',
    notFound: 'SIGNING_SECRET_NOT_FOUND, or CHANNEL_NOT_FOUND',
  })
  @ApiResponse(tooManyChanges)
  async remove(@Caller() caller: Identity, @Param('id') id: string) {
    await this.secrets.remove(caller, id);
  }
}

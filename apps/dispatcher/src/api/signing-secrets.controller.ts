import {
  ApiListQuery,
  Caller,
  formatTimestamp,
  type Identity,
  listEnvelope,
  type ListEnvelope,
  listSchema,
  type ListSpec,
  Operation,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { SigningSecret } from '../callback-client/signature.js';
import { tooManyChanges } from '../limits.js';
import { SigningSecrets } from '../channels/signing-secrets.js';

const SecretView = z.object({ id: z.string(), created_at: z.string() }).meta({ id: 'SigningSecret' });
type SecretView = z.infer<typeof SecretView>;

const MadeSecret = z
  .object({ id: z.string(), secret: z.string().describe('Only this response contains it'), created_at: z.string() })
  .meta({ id: 'CreatedSigningSecret' });
type MadeSecret = z.infer<typeof MadeSecret>;

const listSpec: ListSpec = { filters: {} };

const view = ({ id, createdAtMs }: SigningSecret): SecretView => ({ id, created_at: formatTimestamp(createdAtMs) });

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
    standardSchema: MadeSecret,
    description: 'Created; this is the only response that contains the secret',
  })
  @ApiResponse({ status: 404, description: 'CHANNEL_NOT_FOUND: the key has no callback channel' })
  @ApiResponse({ status: 409, description: 'SIGNING_SECRETS_EXCEEDED: the callback already has three' })
  @ApiResponse(tooManyChanges)
  async make(@Caller() caller: Identity): Promise<MadeSecret> {
    const made = await this.secrets.make(caller);
    return { id: made.id, secret: made.secret, created_at: formatTimestamp(made.createdAtMs) };
  }

  @Get()
  @Operation({
    summary: 'List signing secrets',
    description: 'Ids and creation times. The secret itself appears only in the response that created it.',
    ok: listSchema(SecretView, 'SigningSecretList'),
    notFound: 'CHANNEL_NOT_FOUND',
  })
  @ApiListQuery(listSpec)
  async list(@Caller() caller: Identity, @Query() parameters: QueryParameters): Promise<ListEnvelope<SecretView>> {
    const query = parseListQuery(parameters, listSpec);
    const all = (await this.secrets.list(caller)).map(view).sort((a, b) => (a.id < b.id ? -1 : 1));
    if (query.order === 'DESC') all.reverse();
    const { after, limit } = query;
    const isBehind = ({ id }: SecretView): boolean =>
      after === null || (query.order === 'ASC' ? id > after : id < after);
    const rows = all.filter(isBehind).slice(0, limit + 1);
    return listEnvelope(rows, query, query.includeTotal ? all.length : undefined);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete a signing secret',
    description:
      'Messages are no longer signed with this secret. After the last one is deleted, messages are unsigned.',
    notFound: 'SIGNING_SECRET_NOT_FOUND, or CHANNEL_NOT_FOUND',
  })
  @ApiResponse(tooManyChanges)
  async remove(@Caller() caller: Identity, @Param('id') id: string): Promise<void> {
    await this.secrets.remove(caller, id);
  }
}

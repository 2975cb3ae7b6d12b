import {
  AnyKey,
  ApiListQuery,
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
  type ListSpec,
  parseApiKey,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { OnlyYourself, SecretInUrl } from '../errors.js';
import {
  type ApiKeyChange,
  ApiKeyChangeSchema,
  ApiKeyListSchema,
  type ApiKeyRecord,
  ApiKeySchema,
  GroupIdsSchema,
  type NewApiKey,
  NewApiKeySchema,
  overlapSeconds,
  type Rotation,
  RotationSchema,
} from './api-key-record.js';
import { ApiKeys } from './api-keys.service.js';
import { by } from './by.js';
import { type KeyGroupRecord, KeyGroupListSchema } from './key-group-record.js';
import { KeyGroups } from './key-groups.service.js';
import { admin } from '../permissions.js';

export const noFilters: ListSpec = { filters: {} };

export const apiKeyListSpec = { filters: { key: 'text', name: 'text', owner: 'text' } } as const;

/** `me`, or an id that the caller may touch: its own, or any for an administrator. Others learn nothing about ids. */
const keyIdOf = (caller: Identity, id: string): string => {
  const keyId = id === 'me' ? caller.keyId : id;
  if (keyId !== caller.keyId && !caller.permissions.includes(admin)) throw new OnlyYourself();
  return keyId;
};

/** A whole key in a query is in logs already. */
export const refuseSecrets = (query: QueryParameters): void => {
  for (const [name, value] of Object.entries(query))
    if ([value ?? ''].flat().some((text) => parseApiKey(text) !== undefined)) throw new SecretInUrl(name);
};

/** Spec §2.11 and §5. `{id}` may be `me`. */
@ApiTags('API keys')
@UseInterceptors(EtagHeader)
@Controller('v3/api-keys')
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly groups: KeyGroups,
  ) {}

  @Get()
  @RequiresPermission(admin)
  @ApiOperation({ summary: 'List API keys', description: '`key` is a key without its secret part.' })
  @ApiListQuery(apiKeyListSpec, 'ApiKeyFilters')
  @ApiOkResponse({ standardSchema: ApiKeyListSchema })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<ApiKeyRecord>> {
    refuseSecrets(query);
    return this.keys.list(caller.accountId, parseListQuery(query, apiKeyListSpec));
  }

  @Post()
  @RequiresPermission(admin)
  @ApiOperation({
    summary: 'Create an API key',
    description:
      'The response is the only one that contains the whole key: store it now. Without `groups` the key joins the group Developers. Requires `admin`.',
  })
  @ApiCreatedResponse({ standardSchema: ApiKeySchema })
  create(@Caller() caller: Identity, @Body({ schema: NewApiKeySchema }) body: NewApiKey): Promise<ApiKeyRecord> {
    return this.keys.create(by(caller), body);
  }

  @AnyKey()
  @Get(':id')
  @ApiOperation({
    summary: 'Show an API key',
    description: '`{id}` may be `me` for the calling key. Without `admin`, a key can read only itself.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<ApiKeyRecord> {
    return this.keys.get(caller.accountId, keyIdOf(caller, id));
  }

  @AnyKey()
  @Put(':id')
  @ApiOperation({
    summary: 'Change an API key',
    description:
      'Changes only the given fields. A key set to `INACTIVE` is refused within five seconds, and its WebSocket is closed with 1008. With `If-Match`, the change applies only to that version of the record.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  update(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema }) body: ApiKeyChange,
    @Headers('if-match') ifMatch?: string,
  ): Promise<ApiKeyRecord> {
    return this.keys.update(by(caller, ifMatch), keyIdOf(caller, id), body);
  }

  @AnyKey()
  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an API key',
    description:
      'The key stops working within five seconds. Its notification channel, subscriptions and waiting commands are removed with it.',
  })
  @ApiNoContentResponse()
  remove(@Caller() caller: Identity, @Param('id') id: string, @Headers('if-match') ifMatch?: string): Promise<void> {
    return this.keys.remove(by(caller, ifMatch), keyIdOf(caller, id));
  }

  @AnyKey()
  @Post(':id/reset-secret')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reset the secret of an API key',
    description:
      'The previous secret stops working within five seconds. The id stays the same, and with it the channel and the subscriptions. The response is the only one that contains the whole key.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  resetSecret(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema.nullish() }) body: ApiKeyChange | null | undefined,
    @Headers('if-match') ifMatch?: string,
  ): Promise<ApiKeyRecord> {
    return this.keys.resetSecret(by(caller, ifMatch), keyIdOf(caller, id), body ?? {});
  }

  @AnyKey()
  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Rotate the secret of an API key',
    description:
      'The id stays, and with it the channel and the subscriptions. At most two secrets are valid at a time: another rotation ends the overlap early.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  rotate(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: RotationSchema.nullish() }) body: Rotation | null | undefined,
    @Headers('if-match') ifMatch?: string,
  ): Promise<ApiKeyRecord> {
    const rotation = body ?? { overlap_seconds: overlapSeconds.default };
    return this.keys.rotate(by(caller, ifMatch), keyIdOf(caller, id), rotation);
  }

  @AnyKey()
  @Delete(':id/previous-secret')
  @HttpCode(204)
  @ApiOperation({
    summary: 'End the overlap of a rotation now',
    description:
      'Revokes the previous secret of a rotated key before `overlap_seconds` have passed. Has no effect when no rotation overlaps.',
  })
  @ApiNoContentResponse()
  endOverlap(@Caller() caller: Identity, @Param('id') id: string): Promise<void> {
    return this.keys.endOverlap(by(caller), keyIdOf(caller, id));
  }

  @AnyKey()
  @Get(':id/groups')
  @ApiOperation({
    summary: 'List the groups of an API key',
    description: 'A key has the permissions of all its groups.',
  })
  @ApiListQuery(noFilters)
  @ApiOkResponse({ standardSchema: KeyGroupListSchema })
  async listGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    const key = await this.keys.get(caller.accountId, keyIdOf(caller, id));
    return this.groups.listOf(caller.accountId, 'key', key.id, parseListQuery(query, noFilters));
  }

  /** Without `add`: the older form of the same call. */
  @Post([':id/groups/add', ':id/groups'])
  @HttpCode(200)
  @RequiresPermission(admin)
  @ApiOperation({
    summary: 'Add an API key to groups',
    description:
      'The body is an array of group ids. The key gains the permissions of these groups within five seconds.',
  })
  @ApiConflictResponse({ description: 'The key is already a member of one of these groups' })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  addGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.keys.addGroups(by(caller), keyIdOf(caller, id), ids);
  }

  @Delete(':id/groups')
  @RequiresPermission(admin)
  @ApiOperation({
    summary: 'Remove an API key from groups (older form)',
    description: 'The same as `POST …/groups/remove`, kept for older clients.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  leaveGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.removeGroups(caller, id, ids);
  }

  @Post(':id/groups/remove')
  @HttpCode(200)
  @RequiresPermission(admin)
  @ApiOperation({
    summary: 'Remove an API key from groups',
    description:
      'The body is an array of group ids. The key loses the permissions of these groups within five seconds.',
  })
  @ApiOkResponse({ standardSchema: ApiKeySchema })
  removeGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.keys.removeGroups(by(caller), keyIdOf(caller, id), ids);
  }
}

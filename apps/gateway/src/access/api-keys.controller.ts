import {
  AnyKey,
  ApiListQuery,
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
  ListParameters,
  type ListQuery,
  type ListSpec,
  Operation,
  parseApiKey,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OnlyYourself, SecretInUrl } from '../errors.js';
import {
  type ApiKeyChange,
  ApiKeyChangeSchema,
  ApiKeyListSchema,
  type ApiKeyRecord,
  ApiKeySchema,
  type NewApiKey,
  NewApiKeySchema,
  overlapSeconds,
  type Rotation,
  RotationSchema,
} from './api-key-record.js';
import { ApiKeys } from './api-keys.service.js';
import { ByCaller, ByCallerIfMatch, type By } from './by.js';
import { type KeyGroupRecord, KeyGroupListSchema } from './key-group-record.js';
import { KeyGroups } from './key-groups.service.js';
import { admin } from '../permissions.js';
import { GroupIdsSchema } from './record-schemas.js';

export const noFilters: ListSpec = { filters: {} };

export const apiKeyListSpec = { filters: { key: 'text', name: 'text', owner: 'text' } } as const;

/** `me`, or an id that the caller may use: its own, or any for an administrator. Reveals nothing about other ids. */
const keyIdOf = (caller: Identity, id: string): string => {
  const keyId = id === 'me' ? caller.keyId : id;
  if (keyId !== caller.keyId && !caller.permissions.includes(admin)) throw new OnlyYourself();
  return keyId;
};

/** A whole key in a query has already been logged. */
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
  @Operation({ summary: 'List API keys', description: '`key` is a key without its secret part.', ok: ApiKeyListSchema })
  @ApiListQuery(apiKeyListSpec, 'ApiKeyFilters')
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<ApiKeyRecord>> {
    refuseSecrets(query);
    return this.keys.list(caller.accountId, parseListQuery(query, apiKeyListSpec));
  }

  @Post()
  @RequiresPermission(admin)
  @Operation({
    summary: 'Create an API key',
    description:
      'The response is the only one that contains the whole key: store it now. Without `groups` the key joins the group Developers. Requires `admin`.',
    created: ApiKeySchema,
  })
  create(@ByCaller() by: By, @Body({ schema: NewApiKeySchema }) body: NewApiKey): Promise<ApiKeyRecord> {
    return this.keys.create(by, body);
  }

  @AnyKey()
  @Get(':id')
  @Operation({
    summary: 'Show an API key',
    description: '`{id}` may be `me` for the calling key. Without `admin`, a key can read only itself.',
    ok: ApiKeySchema,
  })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<ApiKeyRecord> {
    return this.keys.get(caller.accountId, keyIdOf(caller, id));
  }

  @AnyKey()
  @Put(':id')
  @Operation({
    summary: 'Change an API key',
    description:
      'Changes only the given fields. A key set to `INACTIVE` is refused within five seconds, and its WebSocket is closed with 1008. With `If-Match`, the change applies only to that version of the record.',
    ok: ApiKeySchema,
  })
  update(
    @ByCallerIfMatch() by: By,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema }) body: ApiKeyChange,
  ): Promise<ApiKeyRecord> {
    return this.keys.update(by, keyIdOf(by.caller, id), body);
  }

  @AnyKey()
  @Delete(':id')
  @Operation({
    summary: 'Delete an API key',
    description:
      'The key stops working within five seconds. Its notification channel, subscriptions and waiting commands are removed with it.',
  })
  remove(@ByCallerIfMatch() by: By, @Param('id') id: string): Promise<void> {
    return this.keys.remove(by, keyIdOf(by.caller, id));
  }

  @AnyKey()
  @Post(':id/reset-secret')
  @Operation({
    summary: 'Reset the secret of an API key',
    description:
      'The previous secret stops working within five seconds. The id stays the same, and with it the channel and the subscriptions. The response is the only one that contains the whole key.',
    ok: ApiKeySchema,
  })
  resetSecret(
    @ByCallerIfMatch() by: By,
    @Param('id') id: string,
    @Body({ schema: ApiKeyChangeSchema.nullish() }) body: ApiKeyChange | null | undefined,
  ): Promise<ApiKeyRecord> {
    return this.keys.resetSecret(by, keyIdOf(by.caller, id), body ?? {});
  }

  @AnyKey()
  @Post(':id/rotate')
  @Operation({
    summary: 'Rotate the secret of an API key',
    description:
      'The id stays, and with it the channel and the subscriptions. At most two secrets are valid at a time: another rotation ends the overlap early.',
    ok: ApiKeySchema,
  })
  rotate(
    @ByCallerIfMatch() by: By,
    @Param('id') id: string,
    @Body({ schema: RotationSchema.nullish() }) body: Rotation | null | undefined,
  ): Promise<ApiKeyRecord> {
    const rotation = body ?? { overlap_seconds: overlapSeconds.default };
    return this.keys.rotate(by, keyIdOf(by.caller, id), rotation);
  }

  @AnyKey()
  @Delete(':id/previous-secret')
  @Operation({
    summary: 'End the overlap of a rotation now',
    description:
      'Revokes the previous secret of a rotated key before `overlap_seconds` have passed. Has no effect when no rotation overlaps.',
  })
  endOverlap(@ByCaller() by: By, @Param('id') id: string): Promise<void> {
    return this.keys.endOverlap(by, keyIdOf(by.caller, id));
  }

  @AnyKey()
  @Get(':id/groups')
  @Operation({
    summary: 'List the groups of an API key',
    description: 'A key has the permissions of all its groups.',
    ok: KeyGroupListSchema,
  })
  async listGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @ListParameters(noFilters) query: ListQuery,
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    const key = await this.keys.get(caller.accountId, keyIdOf(caller, id));
    return this.groups.listOf(caller.accountId, 'key', key.id, query);
  }

  /** Without `add`: the older form of the same call. */
  @Post([':id/groups/add', ':id/groups'])
  @RequiresPermission(admin)
  @Operation({
    summary: 'Add an API key to groups',
    description:
      'The body is an array of group ids. The key gains the permissions of these groups within five seconds.',
    ok: ApiKeySchema,
    conflict: 'The key is already a member of one of these groups',
  })
  addGroups(
    @ByCaller() by: By,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.keys.addGroups(by, keyIdOf(by.caller, id), ids);
  }

  @Delete(':id/groups')
  @RequiresPermission(admin)
  @Operation({
    summary: 'Remove an API key from groups (older form)',
    description: 'The same as `POST …/groups/remove`, kept for older clients.',
    ok: ApiKeySchema,
  })
  leaveGroups(
    @ByCaller() by: By,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.removeGroups(by, id, ids);
  }

  @Post(':id/groups/remove')
  @RequiresPermission(admin)
  @Operation({
    summary: 'Remove an API key from groups',
    description:
      'The body is an array of group ids. The key loses the permissions of these groups within five seconds.',
    ok: ApiKeySchema,
  })
  removeGroups(
    @ByCaller() by: By,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<ApiKeyRecord> {
    return this.keys.removeGroups(by, keyIdOf(by.caller, id), ids);
  }
}

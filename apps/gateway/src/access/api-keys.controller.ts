import {
  AnyKey,
  ApiListQuery,
  ConditionalRequest,
  CurrentRequest,
  type Identity,
  ListParameters,
  type ListRequest,
  type ListSpec,
  Operation,
  parseApiKey,
  parseListQuery,
  type QueryParameters,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OnlyYourself, SecretInUrl } from '../errors.js';
import { ApiKeyChange, ApiKeyList, ApiKeyRecord, NewApiKey, overlapSeconds, Rotation } from './api-key-record.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyGroupList } from './key-group-record.js';
import { KeyGroupsService } from './key-groups.service.js';
import { admin } from '../permissions.js';
import { GroupIds } from './record-schemas.js';

export const noFilters: ListSpec = { filters: {} };

export const apiKeyListSpec = { filters: { key: 'text', name: 'text', owner: 'text' } } as const;

/**
 * The key id of a path, which may be `me`. Throws OnlyYourself for another key than the calling one, whether or not it
 * exists, unless the caller is an administrator.
 */
const keyIdOf = (caller: Identity, id: string): string => {
  const keyId = id === 'me' ? caller.keyId : id;
  if (keyId !== caller.keyId && !caller.permissions.includes(admin)) throw new OnlyYourself();
  return keyId;
};

const withKeyId = (context: RequestContext): RequestContext => ({
  ...context,
  id: keyIdOf(context.caller, context.id),
});

/** A parameter may be a list of values, or a packed filter with several. */
const hasWholeKey = (text: string): boolean => text.split(/[=&,]/).some((part) => parseApiKey(part) !== undefined);

/** Throws SecretInUrl for a query with a whole key, which has been logged on its way already. */
export const refuseSecrets = (query: QueryParameters): void => {
  for (const [name, value] of Object.entries(query))
    if ([value ?? ''].flat().some(hasWholeKey)) throw new SecretInUrl(name);
};

/** Spec §2.11 and §5. `{id}` may be `me`. */
@ApiTags('API keys')
@Controller('v3/api-keys')
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly groups: KeyGroupsService,
  ) {}

  @Get()
  @RequiresPermission(admin)
  @Operation({
    summary: 'List API keys',
    description: 'Lists the keys of the account. `key` is the key without its secret part.',
    ok: ApiKeyList,
  })
  @ApiListQuery(apiKeyListSpec, 'ApiKeyFilters')
  list(@CurrentRequest() { caller }: RequestContext, @Query() query: QueryParameters) {
    refuseSecrets(query);
    return this.keys.list(caller.accountId, parseListQuery(query, apiKeyListSpec));
  }

  @Post()
  @RequiresPermission(admin)
  @Operation({
    summary: 'Create an API key',
    description:
      'The response is the only one that contains the whole key: store it now. Without `groups` the key joins the group Developers. Requires `admin`.',
    created: ApiKeyRecord,
  })
  create(@CurrentRequest() context: RequestContext, @Body({ schema: NewApiKey }) body: NewApiKey) {
    return this.keys.create(context, body);
  }

  @AnyKey()
  @Get(':id')
  @Operation({
    summary: 'Show an API key',
    description: '`{id}` may be `me` for the calling key. Without `admin`, a key can read only itself.',
    ok: ApiKeyRecord,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.keys.get(caller.accountId, keyIdOf(caller, id));
  }

  @AnyKey()
  @Put(':id')
  @Operation({
    summary: 'Change an API key',
    description:
      'Changes only the given fields. A key set to `INACTIVE` is refused within five seconds, and its WebSocket is closed with 1008. Its subscriptions and presubscription rules are removed, and do not return with `ACTIVE`. With `If-Match`, the change applies only to that version of the record.',
    ok: ApiKeyRecord,
  })
  update(@ConditionalRequest() context: RequestContext, @Body({ schema: ApiKeyChange }) body: ApiKeyChange) {
    return this.keys.update(withKeyId(context), body);
  }

  @AnyKey()
  @Delete(':id')
  @Operation({
    summary: 'Delete an API key',
    description:
      'The key stops working within five seconds. Its notification channel, subscriptions and waiting commands are removed with it.',
  })
  remove(@ConditionalRequest() context: RequestContext) {
    return this.keys.remove(withKeyId(context));
  }

  @AnyKey()
  @Post(':id/reset-secret')
  @Operation({
    summary: 'Reset the secret of an API key',
    description:
      'The previous secret stops working within five seconds. The key keeps its id, its channel and its subscriptions. The response is the only one that contains the whole key.',
    ok: ApiKeyRecord,
  })
  resetSecret(
    @ConditionalRequest() context: RequestContext,
    @Body({ schema: ApiKeyChange.nullish() }) body: ApiKeyChange | null | undefined,
  ) {
    return this.keys.resetSecret(withKeyId(context), body ?? {});
  }

  @AnyKey()
  @Post(':id/rotate')
  @Operation({
    summary: 'Rotate the secret of an API key',
    description:
      'The response is the only one that contains the whole key with its new secret: store it now. The key keeps its id, its channel and its subscriptions. At most two secrets are valid at a time: another rotation ends the overlap early.',
    ok: ApiKeyRecord,
  })
  rotate(
    @ConditionalRequest() context: RequestContext,
    @Body({ schema: Rotation.nullish() }) body: Rotation | null | undefined,
  ) {
    const rotation = body ?? { overlap_seconds: overlapSeconds.default };
    return this.keys.rotate(withKeyId(context), rotation);
  }

  @AnyKey()
  @Delete(':id/previous-secret')
  @Operation({
    summary: 'End the overlap of a rotation now',
    description:
      'Revokes the previous secret of a rotated key before `overlap_seconds` have passed. Without an overlap, nothing changes.',
  })
  endOverlap(@CurrentRequest() context: RequestContext) {
    return this.keys.endOverlap(withKeyId(context));
  }

  @AnyKey()
  @Get(':id/groups')
  @Operation({
    summary: 'List the groups of an API key',
    description: 'A key has the permissions of all its groups.',
    ok: KeyGroupList,
  })
  async listGroups(@Param('id') id: string, @ListParameters(noFilters) query: ListRequest) {
    const key = await this.keys.get(query.caller.accountId, keyIdOf(query.caller, id));
    return this.groups.list(key.account_id, query, { kind: 'key', id: key.id });
  }

  /** Without `add`: the older form of the same call. */
  @Post([':id/groups/add', ':id/groups'])
  @RequiresPermission(admin)
  @Operation({
    summary: 'Add an API key to groups',
    description:
      'The body is an array of group ids. The key gains the permissions of these groups within five seconds.',
    ok: ApiKeyRecord,
    conflict: 'The key is already a member of one of these groups',
  })
  addGroups(@CurrentRequest() context: RequestContext, @Body({ schema: GroupIds }) ids: string[]) {
    return this.keys.addGroups(withKeyId(context), ids);
  }

  @Delete(':id/groups')
  @RequiresPermission(admin)
  @Operation({
    summary: 'Remove an API key from groups (older form)',
    description: 'The same as `POST …/groups/remove`, kept for older clients.',
    ok: ApiKeyRecord,
  })
  leaveGroups(@CurrentRequest() context: RequestContext, @Body({ schema: GroupIds }) ids: string[]) {
    return this.removeGroups(context, ids);
  }

  @Post(':id/groups/remove')
  @RequiresPermission(admin)
  @Operation({
    summary: 'Remove an API key from groups',
    description:
      'The body is an array of group ids. The key loses the permissions of these groups within five seconds.',
    ok: ApiKeyRecord,
  })
  removeGroups(@CurrentRequest() context: RequestContext, @Body({ schema: GroupIds }) ids: string[]) {
    return this.keys.removeGroups(withKeyId(context), ids);
  }
}

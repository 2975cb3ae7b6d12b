import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
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
import {
  type KeySubscriptions,
  KeySubscriptionsSchema,
  keySubscriptionsSpec,
  SubscriptionsOfKeys,
} from './key-subscriptions.js';

/** For administrators: a key sees its own below /v2/subscriptions. */
@ApiTags('Subscriptions')
@RequiresPermission('admin')
@Controller('v3/key-subscriptions')
export class KeySubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsOfKeys) {}

  @Get()
  @ApiOperation({
    summary: 'List the keys that have subscriptions',
    description: 'API keys and applications of the account that have subscriptions or presubscription rules.',
  })
  @ApiListQuery(keySubscriptionsSpec)
  @ApiOkResponse({ standardSchema: listSchema(KeySubscriptionsSchema, 'KeySubscriptionsList') })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<KeySubscriptions>> {
    return this.subscriptions.list(caller.accountId, parseListQuery(query, keySubscriptionsSpec));
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Show the subscriptions of a key',
    description: 'The presubscription rules of an API key or application, with counts of its subscriptions.',
  })
  @ApiOkResponse({ standardSchema: KeySubscriptionsSchema })
  @ApiResponse({ status: 404, description: 'The account has no such key, or the key has no subscriptions' })
  get(@Caller() caller: Identity, @Param('id') keyId: string): Promise<KeySubscriptions> {
    return this.subscriptions.get(caller.accountId, keyId);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete the subscriptions of a key',
    description:
      'Ends all subscriptions of the key and removes its presubscription rules. The key may subscribe again.',
  })
  @ApiNoContentResponse()
  @ApiResponse({ status: 404, description: 'The account has no such key, or the key has no subscriptions' })
  remove(@Caller() caller: Identity, @Param('id') keyId: string): Promise<void> {
    return this.subscriptions.remove(caller, keyId);
  }
}

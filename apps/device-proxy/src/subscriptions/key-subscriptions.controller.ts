import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiGatewayTimeoutResponse, ApiTags } from '@nestjs/swagger';
import {
  Caller,
  type Identity,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { KeySubscriptionsSchema, keySubscriptionsSpec, SubscriptionsOfKeys } from './key-subscriptions.js';

/** For administrators; a key sees its own subscriptions below /v2/subscriptions. */
@ApiTags('Subscriptions')
@RequiresPermission('admin')
@Controller('v3/key-subscriptions')
export class KeySubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsOfKeys) {}

  @Get()
  @Operation({
    summary: 'List the keys that have subscriptions',
    description: 'Lists the API keys and applications of the account that have subscriptions or presubscription rules.',
    ok: listSchema(KeySubscriptionsSchema, 'KeySubscriptionsList'),
  })
  list(@ListParameters(keySubscriptionsSpec) query: ListRequest) {
    return this.subscriptions.list(query.caller.accountId, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Show the subscriptions of a key',
    description: 'Shows the presubscription rules of an API key or application, with counts of its subscriptions.',
    ok: KeySubscriptionsSchema,
    notFound: 'The account has no such key, or the key has no subscriptions',
  })
  @ApiGatewayTimeoutResponse()
  get(@Caller() caller: Identity, @Param('id') keyId: string) {
    return this.subscriptions.get(caller.accountId, keyId);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete the subscriptions of a key',
    description:
      'Ends all subscriptions of the key and removes its presubscription rules. The key may subscribe again.',
    notFound: 'The account has no such key, or the key has no subscriptions',
  })
  @ApiGatewayTimeoutResponse()
  remove(@Caller() caller: Identity, @Param('id') keyId: string) {
    return this.subscriptions.remove(caller, keyId);
  }
}

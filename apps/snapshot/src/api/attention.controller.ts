import { AttentionList, ListParameters, type ListRequest, Operation, RequiresPermission } from '@lanyard/service';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LostSubscriptions, lostSubscriptionsSpec } from '../devices/lost-subscriptions.js';

@ApiTags('Attention')
@RequiresPermission('subscriptions')
@Controller('v3/attention/lost-subscriptions')
export class AttentionController {
  constructor(private readonly lost: LostSubscriptions) {}

  @Get()
  @Operation({
    summary: 'List lost subscriptions',
    description:
      'Subscriptions of the account that devices ended in the last 7 days, by a full registration (spec §4.4 rule 1) or because they do not report the path any more, and that no application has asked for again. Subscriptions by presubscription rules are not listed, because the rules apply again at the next registration.',
    ok: AttentionList,
  })
  list(@ListParameters(lostSubscriptionsSpec) query: ListRequest) {
    return this.lost.list(query.caller.accountId, query);
  }
}

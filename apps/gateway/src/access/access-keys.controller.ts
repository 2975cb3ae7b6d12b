import {
  ConditionalRequest,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  Operation,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccessKeysService } from './access-keys.service.js';
import { AccessKeyChange, AccessKeyList, AccessKeyRecord, NewAccessKey } from './application-record.js';
import { admin } from '../permissions.js';

const listSpec = {
  filters: { id: 'text', application_id: 'text', status: 'text' },
  sets: { status: ['ACTIVE', 'INACTIVE', 'EXPIRED'] },
} as const;

/** Access keys of an application: two at most, so that one can replace the other without an interruption. */
@ApiTags('Applications')
@RequiresPermission(admin)
@Controller('v3/applications/:application/access-keys')
export class ApplicationKeysController {
  constructor(private readonly keys: AccessKeysService) {}

  @Get()
  @Operation({
    summary: 'List the access keys of an application',
    description: 'Keys appear without their secrets.',
    ok: AccessKeyList,
  })
  list(@Param('application') application: string, @ListParameters(listSpec, 'AccessKeyFilters') query: ListRequest) {
    return this.keys.list(query.caller.accountId, query, application);
  }

  @Post()
  @Operation({
    summary: 'Create an access key',
    description:
      'The response is the only one that contains the whole key: store it now. An application has at most two access keys, so that one can replace the other without an interruption.',
    created: AccessKeyRecord,
  })
  create(
    @CurrentRequest() context: RequestContext,
    @Param('application') application: string,
    @Body({ schema: NewAccessKey }) body: NewAccessKey,
  ) {
    return this.keys.create(context, application, body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show an access key of an application',
    description: 'The secret is not returned.',
    ok: AccessKeyRecord,
  })
  get(
    @CurrentRequest() { caller }: RequestContext,
    @Param('application') application: string,
    @Param('id') id: string,
  ) {
    return this.keys.get(caller.accountId, id, application);
  }

  @Put(':id')
  @Operation({
    summary: 'Change an access key',
    description:
      'Changes only the given fields. A key set to `INACTIVE` is refused within five seconds. Without a usable access key, the application loses its subscriptions and presubscription rules.',
    ok: AccessKeyRecord,
  })
  update(
    @ConditionalRequest() context: RequestContext,
    @Param('application') application: string,
    @Body({ schema: AccessKeyChange }) body: AccessKeyChange,
  ) {
    return this.keys.update(context, application, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete an access key',
    description:
      'The key stops working within five seconds. The channel belongs to the application and stays. So do the subscriptions and presubscription rules, unless this was the last usable access key.',
  })
  remove(@ConditionalRequest() context: RequestContext, @Param('application') application: string) {
    return this.keys.remove(context, application);
  }
}

@ApiTags('Applications')
@RequiresPermission(admin)
@Controller('v3/access-keys')
export class AccessKeysController {
  constructor(private readonly keys: AccessKeysService) {}

  @Get()
  @Operation({
    summary: 'List the access keys of all applications',
    description: 'Filter by `application_id` or `status`. Keys appear without their secrets.',
    ok: AccessKeyList,
  })
  list(@ListParameters(listSpec, 'AccessKeyFilters') query: ListRequest) {
    return this.keys.list(query.caller.accountId, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Show an access key',
    description: 'Finds the key by its id in any application of the account. The secret is not returned.',
    ok: AccessKeyRecord,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.keys.get(caller.accountId, id);
  }
}

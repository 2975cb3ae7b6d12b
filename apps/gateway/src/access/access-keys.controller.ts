import {
  ApiListQuery,
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
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
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessKeys } from './access-keys.service.js';
import {
  type AccessKeyChange,
  AccessKeyChangeSchema,
  AccessKeyListSchema,
  type AccessKeyRecord,
  AccessKeySchema,
  type NewAccessKey,
  NewAccessKeySchema,
} from './application-record.js';
import { by } from './by.js';
import { admin } from '../permissions.js';

const listSpec = {
  filters: { id: 'text', application_id: 'text', status: 'text' },
  sets: { status: ['ACTIVE', 'INACTIVE', 'EXPIRED'] },
} as const;

/** Access keys of an application: two at most, so that one follows the other without a gap. */
@ApiTags('Applications')
@RequiresPermission(admin)
@UseInterceptors(EtagHeader)
@Controller('v3/applications/:application/access-keys')
export class ApplicationKeysController {
  constructor(private readonly keys: AccessKeys) {}

  @Get()
  @ApiOperation({
    summary: 'List the access keys of an application',
    description: 'Keys appear without their secrets.',
  })
  @ApiListQuery(listSpec, 'AccessKeyFilters')
  @ApiOkResponse({ standardSchema: AccessKeyListSchema })
  list(
    @Caller() caller: Identity,
    @Param('application') application: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<AccessKeyRecord>> {
    return this.keys.list(caller.accountId, parseListQuery(query, listSpec), application);
  }

  @Post()
  @ApiOperation({
    summary: 'Create an access key',
    description:
      'The response is the only one that contains the whole key: store it now. An application has at most two access keys, so that one can replace the other without an interruption.',
  })
  @ApiCreatedResponse({ standardSchema: AccessKeySchema })
  create(
    @Caller() caller: Identity,
    @Param('application') application: string,
    @Body({ schema: NewAccessKeySchema }) body: NewAccessKey,
  ): Promise<AccessKeyRecord> {
    return this.keys.create(by(caller), application, body);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show an access key of an application', description: 'Without its secret.' })
  @ApiOkResponse({ standardSchema: AccessKeySchema })
  get(
    @Caller() caller: Identity,
    @Param('application') application: string,
    @Param('id') id: string,
  ): Promise<AccessKeyRecord> {
    return this.keys.get(caller.accountId, id, application);
  }

  @Put(':id')
  @ApiOperation({
    summary: 'Change an access key',
    description: 'Changes only the given fields. A key set to `INACTIVE` is refused within five seconds.',
  })
  @ApiOkResponse({ standardSchema: AccessKeySchema })
  update(
    @Caller() caller: Identity,
    @Param('application') application: string,
    @Param('id') id: string,
    @Body({ schema: AccessKeyChangeSchema }) body: AccessKeyChange,
    @Headers('if-match') ifMatch?: string,
  ): Promise<AccessKeyRecord> {
    return this.keys.update(by(caller, ifMatch), application, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an access key',
    description:
      'The key stops working within five seconds. The channel and the subscriptions belong to the application and stay.',
  })
  @ApiNoContentResponse()
  remove(
    @Caller() caller: Identity,
    @Param('application') application: string,
    @Param('id') id: string,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    return this.keys.remove(by(caller, ifMatch), application, id);
  }
}

/** Access keys of all applications of the account. */
@ApiTags('Applications')
@RequiresPermission(admin)
@UseInterceptors(EtagHeader)
@Controller('v3/access-keys')
export class AccessKeysController {
  constructor(private readonly keys: AccessKeys) {}

  @Get()
  @ApiOperation({
    summary: 'List the access keys of all applications',
    description: 'Filter by `application_id` or `status`. Keys appear without their secrets.',
  })
  @ApiListQuery(listSpec, 'AccessKeyFilters')
  @ApiOkResponse({ standardSchema: AccessKeyListSchema })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<AccessKeyRecord>> {
    return this.keys.list(caller.accountId, parseListQuery(query, listSpec));
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Show an access key',
    description: 'Finds the key by its id in any application of the account. Without its secret.',
  })
  @ApiOkResponse({ standardSchema: AccessKeySchema })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<AccessKeyRecord> {
    return this.keys.get(caller.accountId, id);
  }
}

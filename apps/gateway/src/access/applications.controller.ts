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
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiConflictResponse,
  ApiTags,
} from '@nestjs/swagger';
import { GroupIdsSchema } from './api-key-record.js';
import { noFilters } from './api-keys.controller.js';
import {
  type ApplicationChange,
  ApplicationChangeSchema,
  ApplicationListSchema,
  type ApplicationRecord,
  ApplicationSchema,
  type NewApplication,
  NewApplicationSchema,
} from './application-record.js';
import { Applications } from './applications.service.js';
import { by } from './by.js';
import { type KeyGroupRecord, KeyGroupListSchema } from './key-group-record.js';
import { KeyGroups } from './key-groups.service.js';
import { admin } from '../permissions.js';

const listSpec = {
  filters: { id: 'text', name: 'text', status: 'text' },
  sets: { status: ['ACTIVE', 'INACTIVE'] },
} as const;

/** Applications have access keys; what belongs to one key elsewhere belongs to the application: channel, subscriptions. */
@ApiTags('Applications')
@RequiresPermission(admin)
@UseInterceptors(EtagHeader)
@Controller('v3/applications')
export class ApplicationsController {
  constructor(
    private readonly applications: Applications,
    private readonly groups: KeyGroups,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List applications',
    description:
      'An application owns one notification channel and one set of subscriptions, which its access keys share.',
  })
  @ApiListQuery(listSpec, 'ApplicationFilters')
  @ApiOkResponse({ standardSchema: ApplicationListSchema })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<ApplicationRecord>> {
    return this.applications.list(caller.accountId, parseListQuery(query, listSpec));
  }

  @Post()
  @ApiOperation({
    summary: 'Create an application',
    description:
      'An application has no credential of its own: create an access key for it next. Without `groups` the application joins the group Developers.',
  })
  @ApiCreatedResponse({ standardSchema: ApplicationSchema })
  create(
    @Caller() caller: Identity,
    @Body({ schema: NewApplicationSchema }) body: NewApplication,
  ): Promise<ApplicationRecord> {
    return this.applications.create(by(caller), body);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Show an application',
    description: 'Includes its groups and the time of its last request.',
  })
  @ApiOkResponse({ standardSchema: ApplicationSchema })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<ApplicationRecord> {
    return this.applications.get(caller.accountId, id);
  }

  @Put(':id')
  @ApiOperation({
    summary: 'Change an application',
    description: 'Changes only the given fields. An application set to `INACTIVE` is refused with all its access keys.',
  })
  @ApiOkResponse({ standardSchema: ApplicationSchema })
  update(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: ApplicationChangeSchema }) body: ApplicationChange,
    @Headers('if-match') ifMatch?: string,
  ): Promise<ApplicationRecord> {
    return this.applications.update(by(caller, ifMatch), id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an application',
    description: 'Its access keys stop working within five seconds; its channel and its subscriptions are removed.',
  })
  @ApiNoContentResponse()
  remove(@Caller() caller: Identity, @Param('id') id: string, @Headers('if-match') ifMatch?: string): Promise<void> {
    return this.applications.remove(by(caller, ifMatch), id);
  }

  @Get(':id/groups')
  @ApiOperation({
    summary: 'List the groups of an application',
    description: 'Its access keys have the permissions of all these groups.',
  })
  @ApiListQuery(noFilters)
  @ApiOkResponse({ standardSchema: KeyGroupListSchema })
  async listGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    const application = await this.applications.get(caller.accountId, id);
    const wanted = parseListQuery(query, noFilters);
    return this.groups.listOf(caller.accountId, 'application', application.id, wanted);
  }

  @Post(':id/groups/add')
  @HttpCode(204)
  @ApiOperation({ summary: 'Add an application to groups', description: 'The body is an array of group ids.' })
  @ApiConflictResponse({ description: 'The application is already a member of one of these groups' })
  @ApiNoContentResponse()
  addGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<void> {
    return this.applications.addGroups(by(caller), id, ids);
  }

  @Post(':id/groups/remove')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove an application from groups', description: 'The body is an array of group ids.' })
  @ApiNoContentResponse()
  removeGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<void> {
    return this.applications.removeGroups(by(caller), id, ids);
  }
}

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
import { noFilters } from './api-keys.controller.js';
import { ApplicationChange, ApplicationList, ApplicationRecord, NewApplication } from './application-record.js';
import { ApplicationsService } from './applications.service.js';
import { KeyGroupList } from './key-group-record.js';
import { KeyGroupsService } from './key-groups.service.js';
import { admin } from '../permissions.js';
import { GroupIds } from './record-schemas.js';

const listSpec = {
  filters: { id: 'text', name: 'text', status: 'text' },
  sets: { status: ['ACTIVE', 'INACTIVE'] },
} as const;

/** Applications have access keys, which share the channel and the subscriptions of the application. */
@ApiTags('Applications')
@RequiresPermission(admin)
@Controller('v3/applications')
export class ApplicationsController {
  constructor(
    private readonly applications: ApplicationsService,
    private readonly groups: KeyGroupsService,
  ) {}

  @Get()
  @Operation({
    summary: 'List applications',
    description:
      'An application owns one notification channel and one set of subscriptions, which its access keys share.',
    ok: ApplicationList,
  })
  list(@ListParameters(listSpec, 'ApplicationFilters') query: ListRequest) {
    return this.applications.list(query.caller.accountId, query);
  }

  @Post()
  @Operation({
    summary: 'Create an application',
    description:
      'An application has no credential of its own: create an access key for it next. Without `groups` the application joins the group Developers.',
    created: ApplicationRecord,
  })
  create(@CurrentRequest() context: RequestContext, @Body({ schema: NewApplication }) body: NewApplication) {
    return this.applications.create(context, body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show an application',
    description: 'Includes its groups and the time of its last request.',
    ok: ApplicationRecord,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.applications.get(caller.accountId, id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change an application',
    description:
      'Changes only the given fields. An application set to `INACTIVE` is refused with all its access keys, and loses its subscriptions and presubscription rules.',
    ok: ApplicationRecord,
  })
  update(@ConditionalRequest() context: RequestContext, @Body({ schema: ApplicationChange }) body: ApplicationChange) {
    return this.applications.update(context, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete an application',
    description: 'Its access keys stop working within five seconds; its channel and its subscriptions are removed.',
  })
  remove(@ConditionalRequest() context: RequestContext) {
    return this.applications.remove(context);
  }

  @Get(':id/groups')
  @Operation({
    summary: 'List the groups of an application',
    description: 'Its access keys have the permissions of all these groups.',
    ok: KeyGroupList,
  })
  async listGroups(@Param('id') id: string, @ListParameters(noFilters) query: ListRequest) {
    const application = await this.applications.get(query.caller.accountId, id);
    return this.groups.list(application.account_id, query, { kind: 'application', id: application.id });
  }

  @Post(':id/groups/add')
  @Operation({
    summary: 'Add an application to groups',
    description: 'The body is an array of group ids.',
    conflict: 'The application is already a member of one of these groups',
  })
  async addGroups(@CurrentRequest() context: RequestContext, @Body({ schema: GroupIds }) ids: string[]) {
    await this.applications.addGroups(context, ids);
  }

  @Post(':id/groups/remove')
  @Operation({ summary: 'Remove an application from groups', description: 'The body is an array of group ids.' })
  async removeGroups(@CurrentRequest() context: RequestContext, @Body({ schema: GroupIds }) ids: string[]) {
    await this.applications.removeGroups(context, ids);
  }
}

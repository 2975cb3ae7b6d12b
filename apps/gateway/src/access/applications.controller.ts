import {
  Caller,
  EtagHeader,
  type Identity,
  type ListEnvelope,
  ListParameters,
  type ListQuery,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Param, Post, Put, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
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
import { ByCaller, ByCallerIfMatch, type By } from './by.js';
import { type KeyGroupRecord, KeyGroupListSchema } from './key-group-record.js';
import { KeyGroups } from './key-groups.service.js';
import { admin } from '../permissions.js';
import { GroupIdsSchema } from './record-schemas.js';

const listSpec = {
  filters: { id: 'text', name: 'text', status: 'text' },
  sets: { status: ['ACTIVE', 'INACTIVE'] },
} as const;

/** Applications have access keys, which share the channel and the subscriptions of the application. */
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
  @Operation({
    summary: 'List applications',
    description:
      'An application owns one notification channel and one set of subscriptions, which its access keys share.',
    ok: ApplicationListSchema,
  })
  list(
    @Caller() caller: Identity,
    @ListParameters(listSpec, 'ApplicationFilters') query: ListQuery,
  ): Promise<ListEnvelope<ApplicationRecord>> {
    return this.applications.list(caller.accountId, query);
  }

  @Post()
  @Operation({
    summary: 'Create an application',
    description:
      'An application has no credential of its own: create an access key for it next. Without `groups` the application joins the group Developers.',
    created: ApplicationSchema,
  })
  create(@ByCaller() by: By, @Body({ schema: NewApplicationSchema }) body: NewApplication): Promise<ApplicationRecord> {
    return this.applications.create(by, body);
  }

  @Get(':id')
  @Operation({
    summary: 'Show an application',
    description: 'Includes its groups and the time of its last request.',
    ok: ApplicationSchema,
  })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<ApplicationRecord> {
    return this.applications.get(caller.accountId, id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change an application',
    description: 'Changes only the given fields. An application set to `INACTIVE` is refused with all its access keys.',
    ok: ApplicationSchema,
  })
  update(
    @ByCallerIfMatch() by: By,
    @Param('id') id: string,
    @Body({ schema: ApplicationChangeSchema }) body: ApplicationChange,
  ): Promise<ApplicationRecord> {
    return this.applications.update(by, id, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete an application',
    description: 'Its access keys stop working within five seconds; its channel and its subscriptions are removed.',
  })
  remove(@ByCallerIfMatch() by: By, @Param('id') id: string): Promise<void> {
    return this.applications.remove(by, id);
  }

  @Get(':id/groups')
  @Operation({
    summary: 'List the groups of an application',
    description: 'Its access keys have the permissions of all these groups.',
    ok: KeyGroupListSchema,
  })
  async listGroups(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @ListParameters(noFilters) query: ListQuery,
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    const application = await this.applications.get(caller.accountId, id);
    const wanted = query;
    return this.groups.listOf(caller.accountId, 'application', application.id, wanted);
  }

  @Post(':id/groups/add')
  @Operation({
    summary: 'Add an application to groups',
    description: 'The body is an array of group ids.',
    conflict: 'The application is already a member of one of these groups',
  })
  addGroups(
    @ByCaller() by: By,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<void> {
    return this.applications.addGroups(by, id, ids);
  }

  @Post(':id/groups/remove')
  @Operation({ summary: 'Remove an application from groups', description: 'The body is an array of group ids.' })
  removeGroups(
    @ByCaller() by: By,
    @Param('id') id: string,
    @Body({ schema: GroupIdsSchema }) ids: string[],
  ): Promise<void> {
    return this.applications.removeGroups(by, id, ids);
  }
}

import {
  ConditionalRequest,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  Operation,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { admin } from '../permissions.js';
import { UserChange, UserList, UserRecord } from './user-record.js';
import { UsersService } from './users.service.js';

const listSpec = {
  filters: { id: 'text', name: 'text', email: 'text', status: 'text' },
  sets: { status: ['ACTIVE', 'INACTIVE'] },
} as const;

/** People who sign in with the OpenID provider, for administrators. */
@ApiTags('Users')
@RequiresPermission(admin)
@Controller('v3/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Operation({
    summary: 'List users',
    description: 'Lists the people who have signed in with the OpenID provider. The first sign-in creates a user.',
    ok: UserList,
  })
  list(@ListParameters(listSpec, 'UserFilters') query: ListRequest) {
    return this.users.list(query.caller.accountId, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Show a user',
    description: 'Name, address and key groups are those of the last sign-in or renewal of the session.',
    ok: UserRecord,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.users.get(caller.accountId, id);
  }

  @Put(':id')
  @Operation({
    summary: 'Change a user',
    description:
      'Only `status` can be changed; all other fields come from the OpenID provider. An inactive user cannot sign in.',
    ok: UserRecord,
  })
  update(@ConditionalRequest() context: RequestContext, @Body({ schema: UserChange }) body: UserChange) {
    return this.users.update(context, body);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete a user',
    description:
      'Ends the sessions, and removes the channel and the subscriptions of the user. A person who may still sign in at the provider comes back as a new user: set the status to `INACTIVE` to keep them out.',
  })
  remove(@ConditionalRequest() context: RequestContext) {
    return this.users.remove(context);
  }

  @Post(':id/sign-out')
  @Operation({ summary: 'Sign a user out', description: 'Ends all sessions of the user within five seconds.' })
  signOut(@CurrentRequest() context: RequestContext) {
    return this.users.signOut(context);
  }
}

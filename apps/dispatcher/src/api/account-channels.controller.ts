import {
  Caller,
  CLOCK,
  type Clock,
  formatTimestamp,
  type Identity,
  listEnvelope,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AccountChannels } from '../channels/account-channels.js';
import {
  AccountChannelView as View,
  ChannelMessages,
  accountChannelView,
  ChannelTestView,
} from '../channels/channel-view.js';
import { Channels, type Owner } from '../channels/channels.js';
import { SigningSecrets } from '../channels/signing-secrets.js';
import { LastMessages, lastMessagesMax } from '../delivery/last-messages.js';
import { tooManyChanges } from '../limits.js';
import { CreatedSecret, createdView, SecretList, secretsPage, secretsSpec } from './signing-secret-views.js';

const notFound =
  'CHANNEL_NOT_FOUND: no such channel, or the channel of another key, and the caller is no administrator';

/** The channels of the account, for those who operate it. */
@ApiTags('Notifications')
@RequiresPermission('notifications')
@Controller('v3/channels')
export class AccountChannelsController {
  constructor(
    private readonly account: AccountChannels,
    private readonly channels: Channels,
    private readonly secrets: SigningSecrets,
    private readonly last: LastMessages,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    summary: 'List the channels of the account',
    description:
      'Lists the channels with the state of their queues, why a channel does not deliver, and when it will lose events if that continues. Administrators see all channels of the account, other keys their own.',
    ok: listSchema(View, 'AccountChannelList'),
  })
  async list(@ListParameters({ filters: {} }) query: ListRequest) {
    const rows = await this.account.page(query.caller, { ...query, limit: query.limit + 1 });
    const total = query.includeTotal ? await this.account.count(query.caller) : undefined;
    return listEnvelope(rows.map(accountChannelView), query, total);
  }

  @Get(':id')
  @Operation({
    summary: 'Show a channel of the account',
    description: 'Shows the channel with the state of its queue, as in the list.',
    ok: View,
    notFound,
  })
  async show(@Caller() caller: Identity, @Param('id') id: string) {
    return accountChannelView(await this.account.get(caller, id));
  }

  @Get(':id/messages')
  @Operation({
    summary: 'Show the last messages of a channel',
    description: `Shows the last messages that were sent, when, and whether a callback accepted them: up to ${lastMessagesMax} messages of the last 24 hours, a second after they were sent. A retry is a message of its own.`,
    ok: ChannelMessages,
    notFound,
  })
  async messages(@Caller() caller: Identity, @Param('id') id: string): Promise<ChannelMessages> {
    const { channel } = await this.account.get(caller, id);
    return { object: 'channel-messages', data: await this.last.messagesOf(id, channel.createdAt.getTime()) };
  }

  @Post(':id/test')
  @HttpCode(200)
  @Operation({
    summary: 'Test a callback',
    description:
      'Sends an empty message to the URL, with the headers and signatures of the channel, and waits up to 20 s for the answer. The queue is not involved.',
    ok: ChannelTestView,
    notFound: `${notFound}; or the channel is no callback`,
  })
  @ApiResponse({
    status: 429,
    description: 'A URL of the key is already being called, or too many URLs of the account are',
  })
  async test(@Caller() caller: Identity, @Param('id') id: string): Promise<ChannelTestView> {
    const reason = await this.channels.test(await this.ownerOf(caller, id));
    return {
      object: 'channel-test',
      delivered: reason === undefined,
      reason: reason ?? null,
      tested_at: formatTimestamp(this.clock.now()),
    };
  }

  @Get(':id/signing-secrets')
  @Operation({
    summary: 'List the signing secrets of a channel',
    description: 'Ids and creation times. The secret itself appears only in the response that created it.',
    ok: SecretList,
    notFound,
  })
  async listSecrets(@Param('id') id: string, @ListParameters(secretsSpec) query: ListRequest) {
    return secretsPage(await this.secrets.list(await this.ownerOf(query.caller, id)), query);
  }

  @Post(':id/signing-secrets')
  @ApiOperation({
    summary: 'Create a signing secret of a channel',
    description:
      'To rotate a secret, create a new one, let the application accept both, then delete the old one. See POST /v2/notification/callback/signing-secrets.',
  })
  @ApiCreatedResponse({
    standardSchema: CreatedSecret,
    description: 'Created; this is the only response that contains the secret',
  })
  @ApiResponse({ status: 404, description: notFound })
  @ApiResponse({ status: 409, description: 'SIGNING_SECRETS_EXCEEDED: the callback already has three' })
  @ApiResponse(tooManyChanges)
  async createSecret(@Caller() caller: Identity, @Param('id') id: string): Promise<CreatedSecret> {
    return createdView(await this.secrets.make(caller, await this.ownerOf(caller, id)));
  }

  @Delete(':id/signing-secrets/:secretId')
  @Operation({
    summary: 'Delete a signing secret of a channel',
    description: 'Messages are no longer signed with it. After the last one is deleted, messages are unsigned.',
    notFound: `SIGNING_SECRET_NOT_FOUND, or ${notFound}`,
  })
  @ApiResponse(tooManyChanges)
  async removeSecret(@Caller() caller: Identity, @Param('id') id: string, @Param('secretId') secretId: string) {
    await this.secrets.remove(caller, secretId, await this.ownerOf(caller, id));
  }

  /** Throws ChannelNotFound for what the caller does not see. */
  private async ownerOf(caller: Identity, id: string): Promise<Owner> {
    return (await this.account.get(caller, id)).channel;
  }
}

import { Caller, type Identity, Operation, recordChange, RequiresPermission } from '@lanyard/service';
import { Body, Controller, Delete, Get, Put, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ChannelNotFound } from '../errors.js';
import {
  callbackView,
  CallbackView,
  ChannelKindView,
  deliveryMechanism,
  mask,
  webSocketView,
  WebSocketView,
} from '../channels/channel-view.js';
import { Channels } from '../channels/channels.js';
import { callbackCharactersMax, tooManyChanges } from '../limits.js';
import { Serialization } from '../db/serialization.js';

const header = z.string().refine((value) => value !== mask, 'Values are shown masked: send the value itself');

/** A channel that was read may be sent back: its fields about the queue are accepted, as they were when it was read. */
const CallbackSchema = recordChange(CallbackView, {
  url: z
    .string()
    .describe(
      `Begins with https:// or http://. With the names and values of the headers, at most ${callbackCharactersMax} characters`,
    ),
  headers: z.record(z.string(), header).nullish(),
  serialization: Serialization.nullish(),
});

/** Clients send a configuration, an empty object, or nothing at all. */
const WebSocketSchema = recordChange(WebSocketView, { serialization: Serialization.nullish() }).nullish();

/** Notification channels (spec §4.5): one per key, of one kind. */
@ApiTags('Notifications')
@RequiresPermission('notifications')
@Controller('v2/notification')
export class ChannelsController {
  constructor(private readonly channels: Channels) {}

  @Get('channel')
  @Operation({
    summary: 'Show the kind of the channel',
    description:
      'Answers 404 if the calling key has no channel. A key has at most one channel; delete it before registering one of another kind.',
    ok: ChannelKindView,
    notFound: 'CHANNEL_NOT_FOUND',
  })
  async kind(@Caller() caller: Identity): Promise<ChannelKindView> {
    const channel = await this.channels.find(caller.keyId);
    if (!channel) throw new ChannelNotFound();
    return { delivery_mechanism: deliveryMechanism[channel.kind] };
  }

  @Put('callback')
  @ApiOperation({
    summary: 'Register the callback',
    description:
      'Verifies the URL first: it receives a PUT with the configured headers and must answer 200 or 204 within 20 s. ' +
      'A channel that was stopped by `key_reset` starts again and delivers its queued events.',
  })
  @ApiOkResponse({
    standardSchema: CallbackView,
    description: 'The callback is verified and stored; header values are masked',
  })
  @ApiResponse({
    status: 400,
    description: 'The callback is invalid, verification failed, or the key has a channel of another kind',
  })
  @ApiResponse({ status: 401, description: 'The key was reset or deleted during verification' })
  @ApiResponse({
    status: 429,
    description: `A URL of the key is already being verified, or too many URLs of the account are. ${tooManyChanges.description}`,
  })
  async putCallback(
    @Caller() caller: Identity,
    @Body({ schema: CallbackSchema }) body: z.output<typeof CallbackSchema>,
  ): Promise<CallbackView> {
    const target = { url: body.url, headers: body.headers ?? {} };
    return callbackView(await this.channels.putCallback(caller, target, body.serialization ?? undefined));
  }

  @Get('callback')
  @Operation({
    summary: 'Show the callback',
    description:
      '`stopped` says why delivery is paused: `key_reset` (the secret of the key was reset after ' +
      'the URL was registered: register it again), `key_revoked` (the key is inactive, or no group grants it ' +
      'channels: delivery resumes when it is permitted again), or null. A callback that stays stopped for 24 hours is removed.',
    ok: CallbackView,
    notFound: 'CHANNEL_NOT_FOUND',
  })
  async getCallback(@Caller() caller: Identity) {
    return callbackView(await this.channels.get(caller, 'callback'));
  }

  @Delete('callback')
  @Operation({
    summary: 'Delete the callback',
    description: 'Its queued events are deleted with it.',
    notFound: 'CHANNEL_NOT_FOUND',
  })
  @ApiResponse(tooManyChanges)
  async deleteCallback(@Caller() caller: Identity) {
    await this.channels.remove(caller, 'callback');
  }

  @Put('websocket')
  @ApiOperation({
    summary: 'Register the WebSocket channel',
    description:
      'Creates the channel, which queues events from then on (201), or changes the configuration of the existing one and keeps its queue (200). Connect to `websocket-connect` to receive the events.',
  })
  @ApiCreatedResponse({
    standardSchema: WebSocketView,
    description: 'Created; the channel queues events from now on',
  })
  @ApiOkResponse({
    standardSchema: WebSocketView,
    description: 'The channel existed; its queue and socket are kept',
  })
  @ApiResponse({ status: 400, description: 'The request is invalid, or the key has a channel of another kind' })
  @ApiResponse(tooManyChanges)
  async putWebSocket(
    @Caller() caller: Identity,
    @Body({ schema: WebSocketSchema }) body: z.output<typeof WebSocketSchema>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebSocketView> {
    const shown = await this.channels.putConnected(caller, 'websocket', body?.serialization ?? undefined);
    reply.code(shown.created ? 201 : 200);
    return webSocketView(shown);
  }

  @Get('websocket')
  @Operation({
    summary: 'Show the WebSocket channel',
    description: 'Includes whether a WebSocket is connected, and the number of queued events.',
    ok: WebSocketView,
    notFound: 'CHANNEL_NOT_FOUND',
  })
  async getWebSocket(@Caller() caller: Identity) {
    return webSocketView(await this.channels.get(caller, 'websocket'));
  }

  @Delete('websocket')
  @Operation({
    summary: 'Delete the WebSocket channel',
    description: 'Closes its WebSocket with 1001 and deletes its queued events.',
    notFound: 'CHANNEL_NOT_FOUND',
  })
  @ApiResponse(tooManyChanges)
  async deleteWebSocket(@Caller() caller: Identity) {
    await this.channels.remove(caller, 'websocket');
  }
}

import type { Socket } from 'node:net';
import {
  Caller,
  CLOCK,
  type Clock,
  type Identity,
  type Logger,
  LOGGER,
  queryFlag,
  recordChange,
  refuseHead,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Delete, Get, Header, HttpCode, Inject, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { pullView, PullView } from '../channels/channel-view.js';
import { Channels } from '../channels/channels.js';
import { tooManyChanges } from '../limits.js';
import { Serialization } from '../db/serialization.js';
import { ChannelNotFound } from '../errors.js';
import { clientOf } from '../keys/client-of.js';
import { NotificationMessageSchema } from '../messages/message-schema.js';
import { BodySlices } from '../connections/body-slices.js';
import { type Found, Pull } from '../connections/pull.js';

const nextTurn = (): Promise<void> => new Promise((turned) => setImmediate(turned));

/**
 * How to withdraw the last answer on a connection, until the next request proves that the connection delivered it.
 * undefined: the connection is watched, and there is nothing to withdraw.
 */
const lastAnswer = new WeakMap<Socket, Found['broken'] | undefined>();

/** No body, or an empty object: existing options stay, a new channel gets the defaults. */
const PullSchema = recordChange(PullView, { serialization: Serialization.nullish() }).nullish();

/** Long polling: replaced by WebSockets (spec §9), but still used by older clients. */
@ApiTags('Notifications')
@RequiresPermission('notifications')
@Controller('v2/notification/pull')
export class PullController {
  constructor(
    private readonly pull: Pull,
    private readonly channels: Channels,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Poll for events',
    description:
      'Answers as soon as events are available, or 204 after 30 s. The first call creates the pull channel of the key; each further call confirms the events of the previous answer. Only one call may be open at a time. Deprecated in favour of the WebSocket.',
    deprecated: true,
  })
  @ApiQuery({
    name: 'noWait',
    required: false,
    type: Boolean,
    description: 'Answer immediately, without waiting for events',
    example: true,
  })
  @ApiQuery({
    name: 'after',
    required: false,
    type: String,
    description:
      'The value that the Link header (rel="next") of the last answer received has for `after`; `0` if none was received. Confirms that answer; later ones are delivered again. If omitted, the poll confirms the last answer that was sent',
  })
  @ApiOkResponse({
    standardSchema: NotificationMessageSchema,
    description: 'The queued events',
    headers: {
      Link: {
        description: 'Address of the next poll, which confirms this answer (rel="next")',
        schema: { type: 'string' },
      },
    },
  })
  @ApiNoContentResponse({ description: 'No events were queued in time' })
  @ApiResponse({ status: 400, description: 'The key has a channel of another kind' })
  @ApiResponse({ status: 409, description: 'Another poll is open' })
  @ApiResponse({ status: 410, description: 'CHANNEL_DELETED: the channel was deleted while the poll was waiting' })
  @ApiResponse(tooManyChanges)
  async poll(
    @Caller() caller: Identity,
    @Query('noWait') noWait: unknown,
    @Query('after') after: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    refuseHead(request);
    const { socket } = request.raw;
    this.watch(socket);
    const query = { noWait: queryFlag('noWait', noWait), after, address: clientOf(request.raw) };
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const found = await this.pull.poll(caller, query, gone.signal);
    if (!found) return void (await reply.code(204).send());
    await this.answer(found, socket, reply);
  }

  @Put()
  @ApiOperation({
    summary: 'Register or configure the pull channel',
    description:
      'Creates the channel with the given options (201), or changes the options of the existing one and keeps its queue (200); without `serialization` they are unchanged. A poll also creates the channel, with default options, if it does not exist. A channel that is not polled for 10 minutes is removed with its options. Deprecated, like polling.',
    deprecated: true,
  })
  @ApiCreatedResponse({ standardSchema: PullView, description: 'Created; the channel queues events from now on' })
  @ApiOkResponse({ standardSchema: PullView, description: 'The channel existed; its queue is kept' })
  @ApiResponse({ status: 400, description: 'The request is invalid, or the key has a channel of another kind' })
  @ApiResponse(tooManyChanges)
  async configure(
    @Caller() caller: Identity,
    @Body({ schema: PullSchema }) body: z.output<typeof PullSchema>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PullView> {
    const shown = await this.channels.putConnected(caller, 'pull', body?.serialization ?? undefined);
    reply.code(shown.created ? 201 : 200);
    return pullView(shown);
  }

  @Delete()
  @HttpCode(200)
  @Header('content-type', 'text/plain; charset=utf-8')
  @ApiOperation({
    summary: 'Delete the pull channel',
    description: 'Its queued events are deleted with it.',
    deprecated: true,
  })
  @ApiOkResponse({
    content: { 'text/plain': { schema: { type: 'string', enum: ['REMOVED', 'ALREADY_DELETED'] } } },
  })
  @ApiResponse(tooManyChanges)
  async remove(@Caller() caller: Identity): Promise<string> {
    try {
      await this.channels.remove(caller, 'pull');
      return 'REMOVED';
    } catch (error) {
      if (error instanceof ChannelNotFound) return 'ALREADY_DELETED';
      throw error;
    }
  }

  private async answer(found: Found, socket: Socket, reply: FastifyReply): Promise<void> {
    const { raw } = reply;
    // What the client has sent so far, for example the end of its connection, is read in this turn of the event loop.
    await nextTurn();
    if (raw.destroyed || socket.readableEnded) return found.notWritten();
    const finish = (step: () => Promise<void>): void => {
      step().catch((err: unknown) => this.logger.warn({ err }, 'poll response not confirmed'));
    };
    raw.once('finish', () => {
      lastAnswer.set(socket, found.broken);
      finish(async () => {
        // A disconnect before the answer was sent is also read in these turns: twice is better than never.
        await nextTurn();
        await nextTurn();
        if (!socket.readableEnded && !socket.errored) return found.written();
        lastAnswer.set(socket, undefined);
        return found.notWritten();
      });
    });
    const slices = new BodySlices(found.body, this.clock, () => raw.destroy());
    raw.once('close', () => {
      slices.stop();
      if (!raw.writableFinished) finish(found.notWritten);
    });
    const next = `</v2/notification/pull?after=${found.next}>; rel="next"`;
    await reply
      .headers({ 'content-length': found.body.length, link: next })
      .type('application/json; charset=utf-8')
      .send(slices.stream());
  }

  /** Withdraws the last answer when its connection breaks: the client may not have received it. */
  private watch(socket: Socket): void {
    const isNew = !lastAnswer.has(socket);
    lastAnswer.set(socket, undefined);
    if (!isNew) return;
    socket.once('close', (hadError) => {
      const cancel = hadError && lastAnswer.get(socket);
      if (cancel) cancel().catch((err: unknown) => this.logger.warn({ err }, 'poll response not cancelled'));
    });
  }
}

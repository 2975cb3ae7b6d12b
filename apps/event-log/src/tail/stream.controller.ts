import {
  ApiFilters,
  Caller,
  type Identity,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { eventListSpec } from '../query/list-events.js';
import { StoredEvents } from '../query/stored-events.js';
import { streamPage, streamsPerAccountMax } from './limits.js';
import { Streams } from './streams.js';

const help =
  'Server-sent events: each entry as it is stored, as a message with its id and the record as data. ' +
  'It begins behind the entry that `Last-Event-ID` (or `after`) names, `0` being the beginning of the log; otherwise ' +
  'with what comes from now on. The first message has no data, but the id to come back with when nothing came. ' +
  'Takes the filters of the list. A comment every 15 s keeps the connection open, and moves that id on; ' +
  'an event `end` with a `reason` closes it, `key_revoked` for good.';

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // For proxies that would wait for more.
  'x-accel-buffering': 'no',
};

/** The device event log, live. */
@ApiTags('Device events')
@RequiresPermission('events.read')
@Controller('v3/device-events/stream')
export class StreamController {
  constructor(
    private readonly streams: Streams,
    private readonly stored: StoredEvents,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Stream device events', description: help })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Id of the last entry the client has; `0`: the beginning',
  })
  @ApiQuery({ name: 'after', required: false, type: String, description: 'The same, for clients that set no headers' })
  @ApiFilters(eventListSpec, 'DeviceEventFilters')
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ description: 'A stream that does not end by itself', schema: { type: 'string' } })
  @ApiResponse({ status: 429, description: `${streamsPerAccountMax} streams of the account are open in a replica` })
  async follow(
    @Caller() caller: Identity,
    @Query() query: QueryParameters,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { filters, after } = parseListQuery(query, eventListSpec);
    const { accountId } = caller;
    const last = lastEventId || after;
    const from = last ? await this.stored.of(accountId, last) : await this.stored.last(accountId);
    this.streams.admit(caller);
    reply.hijack();
    const client = reply.raw;
    client.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>);
    if (request.method === 'HEAD') return void client.end();
    client.flushHeaders();
    await this.streams.run(caller, client, from, (place) => this.stored.behind(accountId, place, filters, streamPage));
  }
}

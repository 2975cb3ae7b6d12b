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
import { placePattern, StoredEvents } from '../query/stored-events.js';
import { streamPage, streamsPerAccountMax } from './limits.js';
import { Streams } from './streams.js';

const help =
  'Streams server-sent events: each entry as it is stored, with its id and with the record as data. ' +
  'The stream starts after the entry that `Last-Event-ID` (or `after`) names, where `0` is the beginning of the log; ' +
  'by default it starts with new entries. The first message has no data, only the id to resume from; ' +
  'so do later ones where the filters exclude many entries. ' +
  'Accepts the filters of the list. A comment every 15 s keeps the connection open and advances that id. ' +
  'An event `end` with a `reason` closes the stream; after `key_revoked`, do not reconnect.';

/** As for the list, except that a stream may also start at the beginning of the log. */
const streamSpec = { ...eventListSpec, cursor: placePattern };

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Makes proxies forward without buffering.
  'x-accel-buffering': 'no',
};

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
  @ApiQuery({
    name: 'after',
    required: false,
    type: String,
    description: 'Same as `Last-Event-ID`, for clients that cannot set headers',
  })
  @ApiFilters(eventListSpec, 'DeviceEventFilters')
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ description: 'A stream that stays open', schema: { type: 'string' } })
  @ApiResponse({ status: 429, description: `${streamsPerAccountMax} streams of the account are open on this replica` })
  async follow(
    @Caller() caller: Identity,
    @Query() query: QueryParameters,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { filters, after } = parseListQuery(query, streamSpec);
    const { accountId } = caller;
    const last = lastEventId || after;
    const from = last ? await this.stored.placeOf(accountId, last) : await this.stored.lastPlace(accountId);
    this.streams.admit(caller);
    reply.hijack();
    const client = reply.raw;
    client.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>);
    if (request.method === 'HEAD') return void client.end();
    client.flushHeaders();
    await this.streams.run(caller, client, from, (owner, place) =>
      this.stored.pageAfter(owner, place, filters, streamPage),
    );
  }
}

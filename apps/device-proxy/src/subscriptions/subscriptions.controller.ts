import { Controller, Delete, Get, Header, Param, Put, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller, type Identity, Operation, RequiresPermission } from '@lanyard/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Accepted, AcceptedSchema } from '../commands/body-schema.js';
import { resourcePathIn, resourceRoutes } from '../endpoints/resource-path.js';
import { Subscriptions } from './subscriptions.js';

const prefix = '/v2/subscriptions/';

@ApiTags('Subscriptions')
@RequiresPermission('subscriptions')
@Controller('v2/subscriptions/:deviceId')
export class SubscriptionsController {
  constructor(private readonly subscriptions: Subscriptions) {}

  @Get()
  @Header('content-type', 'text/uri-list')
  @ApiOperation({
    summary: 'List the subscriptions to a device',
    description: 'Lists the resource paths to which the calling key is subscribed, one per line.',
  })
  @ApiOkResponse({ content: { 'text/uri-list': { schema: { type: 'string' } } } })
  @ApiResponse({ status: 404, description: 'DEVICE_NOT_FOUND, or no subscriptions' })
  async list(@Caller() caller: Identity, @Param('deviceId') deviceId: string): Promise<string> {
    const paths = await this.subscriptions.list(caller, deviceId);
    return paths.map((path) => `${path}\n`).join('');
  }

  @Delete()
  @Operation({
    summary: 'Delete all subscriptions to a device',
    description: 'Ends every resource subscription of the calling key to this device. Presubscription rules are kept.',
  })
  unsubscribeAll(@Caller() caller: Identity, @Param('deviceId') deviceId: string) {
    return this.subscriptions.unsubscribe(caller, deviceId);
  }

  @Put(resourceRoutes())
  @ApiOperation({
    summary: 'Subscribe to a resource',
    description:
      'Answers 200 if the resource is already observed or the device confirms at once, otherwise 202 with the id of the asynchronous response that carries the result. Values follow as notifications on the channel of the calling key. The subscription ends when the device registers again (spec §4.4).',
  })
  @ApiOkResponse({ standardSchema: AcceptedSchema, description: 'Confirmed by the device' })
  @ApiAcceptedResponse({
    standardSchema: AcceptedSchema,
    description: 'The device was asked; the asynchronous response with this id follows',
  })
  @ApiResponse({ status: 404, description: 'DEVICE_NOT_FOUND, URI_PATH_DOES_NOT_EXISTS' })
  @ApiResponse({ status: 429, description: 'QUEUE_IS_FULL' })
  async subscribe(
    @Caller() caller: Identity,
    @Param('deviceId') deviceId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Accepted> {
    const { asyncId, confirmed } = await this.subscriptions.subscribe(
      caller,
      deviceId,
      resourcePathIn(request, prefix),
    );
    reply.code(confirmed ? 200 : 202);
    return { 'async-response-id': asyncId };
  }

  @Get(resourceRoutes())
  @ApiOperation({
    summary: 'Show a subscription',
    description: 'Answers 200 if the calling key is subscribed to the path, otherwise 404.',
  })
  @ApiOkResponse({ description: 'The key is subscribed' })
  @ApiResponse({ status: 404, description: 'DEVICE_NOT_FOUND, or not subscribed' })
  async has(
    @Caller() caller: Identity,
    @Param('deviceId') deviceId: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.subscriptions.has(caller, deviceId, resourcePathIn(request, prefix));
  }

  @Delete(resourceRoutes())
  @Operation({
    summary: 'Delete a subscription',
    description: 'The device stops reporting the resource when no other key is subscribed to it.',
  })
  unsubscribe(@Caller() caller: Identity, @Param('deviceId') deviceId: string, @Req() request: FastifyRequest) {
    return this.subscriptions.unsubscribe(caller, deviceId, resourcePathIn(request, prefix));
  }
}

import { decimalAttributeMax, observeAttributes, wholeAttributeMax, WrongParameter } from '@lanyard/lwm2m';
import { applyDecorators, Controller, Delete, Get, Header, Param, Put, Query, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller, type Identity, Operation, RequiresPermission } from '@lanyard/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Accepted, AcceptedSchema } from '../commands/body-schema.js';
import { resourcePathIn, resourceRoutes } from '../endpoints/resource-path.js';
import { MalformedCommand } from '../errors.js';
import { subscribedPathsMax } from '../interest/limits.js';
import { Subscriptions } from './subscriptions.js';

const prefix = '/v2/subscriptions/';

const seconds = { type: 'integer', minimum: 0, maximum: wholeAttributeMax };
const value = { type: 'number', minimum: -decimalAttributeMax, maximum: decimalAttributeMax };
const flag = { type: 'integer', enum: [0, 1] };

/** LwM2M 1.2 core §6.4.1, §7.3. */
const attributes: [name: string, schema: object, description: string][] = [
  ['pmin', seconds, 'Minimum number of seconds between two notifications'],
  ['pmax', seconds, 'Maximum number of seconds between two notifications'],
  ['epmin', seconds, 'Minimum number of seconds between two evaluations of the resource'],
  ['epmax', seconds, 'Maximum number of seconds between two evaluations of the resource'],
  ['gt', value, 'Notify when the value crosses this upper threshold (up to 9 decimal places); for resources only'],
  ['lt', value, 'Notify when the value crosses this lower threshold (up to 9 decimal places); for resources only'],
  [
    'st',
    { ...value, minimum: 0 },
    'Notify when the value has changed by this step (up to 9 decimal places); for resources only',
  ],
  ['edge', flag, 'Notify when a boolean becomes false (0) or true (1); for resources only'],
  ['con', flag, 'Whether notifications are confirmable'],
  ['hqmax', seconds, 'Number of values that the device keeps while it cannot send them'],
];

const AttributeQueries = (): MethodDecorator =>
  applyDecorators(
    ...attributes.map(([name, schema, description]) => ApiQuery({ name, required: false, schema, description })),
  );

/** Throws MalformedCommand. */
const readAttributes = (path: string, query: Record<string, unknown>): string | undefined => {
  try {
    return observeAttributes(path, query);
  } catch (error) {
    if (error instanceof WrongParameter) throw new MalformedCommand(error.parameter, error.problem);
    throw error;
  }
};

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
      'Answers 200 if the resource is already observed or the device confirms at once, otherwise 202 with the id of the asynchronous response that carries the result. Values follow as notifications on the channel of the calling key. The subscription ends when the device registers again (spec §4.4). Attributes in the query are part of the request to the device, which must have registered with LwM2M 1.2 (otherwise the result is `NOT_OFFERED`). They apply to this observation only: keys that ask for the same ones share it, and keys with other ones have their own. A key has one subscription to a path: another one, with other attributes or none, takes its place, even if the device then refuses it. Other query parameters are ignored.',
  })
  @AttributeQueries()
  @ApiOkResponse({ standardSchema: AcceptedSchema, description: 'Confirmed by the device' })
  @ApiAcceptedResponse({
    standardSchema: AcceptedSchema,
    description: 'The device was asked; the asynchronous response with this id follows',
  })
  @ApiResponse({ status: 400, description: 'BAD_REQUEST, RESOURCE_NOT_FOUND' })
  @ApiResponse({ status: 404, description: 'DEVICE_NOT_FOUND, URI_PATH_DOES_NOT_EXISTS' })
  @ApiResponse({
    status: 429,
    description: `QUEUE_IS_FULL, LIMITS_EXCEEDED: applications are subscribed to ${subscribedPathsMax} paths of the device`,
  })
  async subscribe(
    @Caller() caller: Identity,
    @Param('deviceId') deviceId: string,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Accepted> {
    const path = resourcePathIn(request, prefix);
    const given = readAttributes(path, query);
    const { asyncId, confirmed } = await this.subscriptions.subscribe(caller, deviceId, path, given);
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

import { Body, Controller, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { allows, type DeviceCommandFinished } from '@lanyard/contracts';
import { AccessDenied, Caller, type Identity, lacks, RequiresPermission } from '@lanyard/service';
import type { FastifyReply } from 'fastify';
import { AsyncResponseSchema, bodySchema } from '../commands/body-schema.js';
import { Commands } from '../commands/commands.js';
import {
  compositePathsIn,
  type DeviceRequestQuery,
  DeviceRequestSchema,
  readDeviceRequest,
  readWait,
} from '../commands/device-request.js';
import {
  idempotencyHeader,
  idempotencyKeyReused,
  readIdempotencyKey,
  replayedHeader,
} from '../commands/idempotency.js';
import { defaultExpirySeconds, defaultRetry, expirySeconds, retryMax, waitSeconds } from '../commands/limits.js';
import { PathNotRegistered } from '../errors.js';
import { subscribedPathsMax } from '../interest/limits.js';
import { RegisteredPaths } from '../sessions/registered-links.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import { WaitingCallers } from './waiting-callers.js';

@ApiTags('Commands')
@RequiresPermission('commands')
@Controller('v2/device-requests')
export class DeviceRequestsController {
  constructor(
    private readonly commands: Commands,
    private readonly subscriptions: Subscriptions,
    private readonly callers: WaitingCallers,
  ) {}

  @Post(':deviceId')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a command to a device',
    description:
      'Queues the command and answers 202 at once; the result follows as an asynchronous response on the channel of the calling key (spec §4.3). Commands to one device run in order, one at a time. A sleeping or offline device receives the command when it returns, unless `expiry-seconds` have passed by then.',
  })
  @ApiQuery({
    name: 'wait',
    required: false,
    schema: { type: 'integer', minimum: waitSeconds.min, maximum: waitSeconds.max },
    description:
      'Seconds to wait for the result: the response contains it when the device answers in time. The channel receives it as well',
  })
  @ApiQuery({
    name: 'expiry-seconds',
    required: false,
    schema: { type: 'integer', minimum: expirySeconds.min, maximum: expirySeconds.max },
    description: `Seconds that the command may wait for the device; default ${defaultExpirySeconds.awake}, for devices in queue mode ${defaultExpirySeconds.queueMode}`,
  })
  @ApiQuery({
    name: 'retry',
    required: false,
    schema: { type: 'integer', minimum: 0, maximum: retryMax },
    description: `Further attempts after the first one; default ${defaultRetry.awake}, for devices in queue mode ${defaultRetry.queueMode}`,
  })
  @ApiQuery({
    name: 'async-id',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,40}$' },
    description:
      'Client-chosen id, echoed in the result. Repeating the same command for the same device while the first is pending does not send it again; afterwards it is a new command',
  })
  @ApiBody(bodySchema(DeviceRequestSchema))
  @ApiOkResponse({
    standardSchema: AsyncResponseSchema,
    description: 'With `wait`: the result of the command',
    headers: replayedHeader,
  })
  @ApiHeader(idempotencyHeader)
  @ApiResponse({ status: 202, description: 'Queued for the device', headers: replayedHeader })
  @ApiResponse({
    status: 400,
    description: `MALFORMED_ASYNC_ID, MALFORMED_IDEMPOTENCY_KEY, MALFORMED_JSON_CONTENT, BAD_REQUEST, RESOURCE_NOT_FOUND, QUEUE_IS_FULL; with \`observe\`, LIMITS_EXCEEDED: applications are subscribed to ${subscribedPathsMax} paths of the device`,
  })
  @ApiResponse({ status: 404, description: 'DEVICE_NOT_FOUND' })
  @ApiResponse(idempotencyKeyReused)
  async send(
    @Caller() caller: Identity,
    @Param('deviceId') deviceId: string,
    @Query() query: DeviceRequestQuery,
    @Body() body: unknown,
    @Headers('idempotency-key') header: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DeviceCommandFinished['item'] | undefined> {
    const device = await this.commands.device(caller, deviceId);
    const request = readDeviceRequest(query, body, device.session?.data.queueMode ?? false);
    const registered = device.session && new RegisteredPaths(device.session.data.links);
    if (request.path !== '/' && registered?.isRegistered(request.path) === false)
      throw new PathNotRegistered(request.path);
    const wait = readWait(query);
    const { observe, ...input } = request;
    if (observe && !allows(caller.permissions, 'subscriptions')) throw new AccessDenied(lacks('subscriptions'));
    const idempotencyKey = readIdempotencyKey(header);
    const { command, replayed } = observe
      ? await this.subscriptions.subscribeComposite(caller, device, input, {
          paths: compositePathsIn(input),
          idempotencyKey,
        })
      : await this.commands.send(caller, device, { kind: 'device-request', ...input }, { idempotencyKey });
    if (replayed) reply.header('idempotency-replayed', 'true');
    const response = wait === undefined ? undefined : await this.callers.response(command, wait);
    if (response) reply.code(200);
    return response;
  }
}

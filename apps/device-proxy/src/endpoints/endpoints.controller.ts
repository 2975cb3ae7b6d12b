import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import {
  Caller,
  CLOCK,
  type Clock,
  type Identity,
  Operation,
  queryFlag,
  refuseHead,
  RequiresPermission,
  ValidationFailed,
} from '@lanyard/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Accepted, AcceptedSchema } from '../commands/body-schema.js';
import { type CommandInput, Commands } from '../commands/commands.js';
import { defaultTiming } from '../commands/device-request.js';
import {
  idempotencyHeader,
  idempotencyKeyReused,
  readIdempotencyKey,
  replayedHeader,
} from '../commands/idempotency.js';
import { CachedValues } from './cached-values.js';
import { bodyMediaType } from '../downlink/formats.js';
import { type EndpointEntry, EndpointEntrySchema, EndpointResourceSchema, Endpoints } from './endpoints.js';
import { resourcePathIn, resourceRoutes } from './resource-path.js';

/** Request bodies below this path are values, not JSON. */
export const endpointsPrefix = '/v2/endpoints/';

interface Options {
  /** The caller wants no asynchronous response. */
  noResp?: string;
  cacheOnly?: string;
}

type Reply = Accepted | undefined;

const options = {
  noResp: {
    name: 'noResp',
    required: false,
    schema: { type: 'boolean' },
    description: 'Send no asynchronous response',
  },
  cacheOnly: {
    name: 'cacheOnly',
    required: false,
    schema: { type: 'boolean' },
    description: 'Return only a cached value; never contact the device',
  },
} as const;

const accepted = { standardSchema: AcceptedSchema, description: 'Queued for the device' };
const unanswered = { description: 'With `noResp`: queued for the device' };
const full = { status: 429, description: 'QUEUE_IS_FULL' };
const valueFormats = ['text/plain', 'application/octet-stream', 'application/vnd.oma.lwm2m+tlv'];

type DeviceRequest = FastifyRequest<{ Params: { deviceId: string } }>;

/** An operation that becomes a command: answered as soon as the command is stored. */
const QueuedOperation = (operation: { summary: string; description: string }): MethodDecorator =>
  applyDecorators(
    ApiOperation(operation),
    ApiQuery(options.noResp),
    ApiAcceptedResponse({ ...accepted, headers: replayedHeader }),
    ApiNoContentResponse({ ...unanswered, headers: replayedHeader }),
    ApiHeader(idempotencyHeader),
    ApiResponse(full),
    ApiResponse(idempotencyKeyReused),
  );

@ApiTags('Endpoints')
@Controller('v2/endpoints')
export class EndpointsController {
  constructor(
    private readonly endpoints: Endpoints,
    private readonly commands: Commands,
    private readonly cached: CachedValues,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @RequiresPermission('devices.read')
  @Get()
  @ApiOperation({
    summary: 'List registered devices',
    description: 'Lists at most 200 devices. Deprecated: use `GET /v3/devices?state=registered`, which is paginated.',
    deprecated: true,
  })
  @ApiQuery({ name: 'type', required: false, schema: { type: 'string' }, description: 'Endpoint type' })
  @ApiOkResponse({ standardSchema: z.array(EndpointEntrySchema) })
  list(@Caller() caller: Identity, @Query('type') type?: string | string[]): Promise<EndpointEntry[]> {
    if (Array.isArray(type)) throw new ValidationFailed([{ name: 'type', message: 'Must be given once' }]);
    return this.endpoints.list(caller, type);
  }

  @RequiresPermission('devices.read')
  @Get(':deviceId')
  @Operation({
    summary: 'List the resources of a device',
    description:
      'Lists the resources that the device named in its registration, with their resource types and whether they can be observed.',
    ok: z.array(EndpointResourceSchema),
    notFound: 'DEVICE_NOT_FOUND: unknown, or not registered',
  })
  resources(@Caller() caller: Identity, @Param('deviceId') deviceId: string) {
    return this.endpoints.resources(caller, deviceId);
  }

  @RequiresPermission('commands')
  @Get(resourceRoutes(':deviceId/'))
  @ApiOperation({
    summary: 'Read a resource',
    description:
      'Answers 200 with the cached value if the device has notified it and it is still fresh. Otherwise reads the value from the device and answers 202 with the id of the asynchronous response that carries it.',
  })
  @ApiQuery(options.cacheOnly)
  @ApiQuery(options.noResp)
  @ApiOkResponse({
    description: 'The last notified value, in the format of the device',
    content: { '*/*': { schema: { type: 'string', format: 'binary' }, example: '21.5' } },
    headers: {
      'Cache-Control': {
        description: '`max-age`: how many seconds the value stays fresh',
        schema: { type: 'string' },
        example: 'max-age=60',
      },
    },
  })
  @ApiAcceptedResponse(accepted)
  @ApiNoContentResponse(unanswered)
  @ApiResponse(full)
  @ApiResponse({ status: 205, description: 'With `cacheOnly`: no value is cached' })
  async read(
    @Caller() caller: Identity,
    @Query() options: Options,
    @Req() request: DeviceRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply | Buffer> {
    refuseHead(request);
    const isCacheOnly = queryFlag('cacheOnly', options.cacheOnly);
    const path = resourcePathIn(request, endpointsPrefix);
    const cached = await this.cached.find(await this.commands.device(caller, request.params.deviceId), path);
    if (cached) {
      // Not negative: the clock of the device's replica may be behind.
      const maxAge = Math.max(0, Math.floor((cached.freshUntilMs - this.clock.now()) / 1000));
      reply.headers({ 'content-type': cached.contentType, 'cache-control': `max-age=${maxAge}` });
      return Buffer.from(cached.bytes, 'latin1');
    }
    if (!isCacheOnly) return this.send(caller, options, { request, reply });
    reply.code(205);
    return undefined;
  }

  @RequiresPermission('commands')
  @Put(resourceRoutes(':deviceId/'))
  @ApiConsumes(...valueFormats)
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @QueuedOperation({
    summary: 'Write a resource',
    description:
      'The body is the value itself, in the format that Content-Type names. The result follows as an asynchronous response (spec §4.3).',
  })
  write(
    @Caller() caller: Identity,
    @Query() options: Options,
    @Body() body: unknown,
    @Req() request: DeviceRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply> {
    return this.send(caller, options, { request, reply, body });
  }

  @RequiresPermission('commands')
  @Post(resourceRoutes(':deviceId/'))
  @ApiConsumes(...valueFormats)
  @ApiBody({ required: false, schema: { type: 'string', format: 'binary' } })
  @QueuedOperation({
    summary: 'Execute a resource, or create an instance',
    description:
      'On a resource, executes it with the body as its argument; on an object, creates an instance from the TLV body. The result follows as an asynchronous response.',
  })
  execute(
    @Caller() caller: Identity,
    @Query() options: Options,
    @Body() body: unknown,
    @Req() request: DeviceRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply> {
    return this.send(caller, options, { request, reply, body });
  }

  @RequiresPermission('commands')
  @Delete(resourceRoutes(':deviceId/'))
  @QueuedOperation({
    summary: 'Delete an instance',
    description: 'Deletes an object instance on the device. The result follows as an asynchronous response.',
  })
  remove(
    @Caller() caller: Identity,
    @Query() options: Options,
    @Req() request: DeviceRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply> {
    return this.send(caller, options, { request, reply });
  }

  private async send(
    caller: Identity,
    options: Options,
    { request, reply, body }: { request: DeviceRequest; reply: FastifyReply; body?: unknown },
  ): Promise<Reply> {
    const { headers } = request;
    const method = request.method as CommandInput['method'];
    const hasBody = method === 'PUT' || method === 'POST';
    const path = resourcePathIn(request, endpointsPrefix);
    const noResp = queryFlag('noResp', options.noResp);
    const device = await this.commands.device(caller, request.params.deviceId);
    const input: CommandInput = {
      asyncId: this.commands.newAsyncId(),
      kind: 'endpoint',
      method,
      path,
      query: [],
      accept: null,
      contentType: bodyMediaType(hasBody ? headers['content-type'] : undefined),
      payload: Buffer.isBuffer(body) ? body : null,
      noResponse: noResp,
      ...defaultTiming(device.session?.data.queueMode ?? false),
    };
    // Reads need no Idempotency-Key, because they are idempotent.
    const header = method === 'GET' ? undefined : headers['idempotency-key'];
    const idempotencyKey = readIdempotencyKey(header as string | undefined);
    const { command, replayed } = await this.commands.send(caller, device, input, { idempotencyKey });
    if (replayed) reply.header('idempotency-replayed', 'true');
    reply.code(noResp ? 204 : 202);
    return noResp ? undefined : { 'async-response-id': command.asyncId };
  }
}

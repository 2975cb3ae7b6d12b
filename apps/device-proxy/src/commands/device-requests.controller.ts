import { Body, Controller, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller, type Identity } from '@lanyard/service';
import { bodySchema } from './body-schema.js';
import { Commands } from './commands.js';
import { type DeviceRequestQuery, DeviceRequestSchema, readDeviceRequest } from './device-request.js';

@ApiTags('Commands')
@Controller('v2/device-requests')
export class DeviceRequestsController {
  constructor(@Inject(Commands) private readonly commands: Commands) {}

  @Post(':deviceId')
  @HttpCode(202)
  @ApiOperation({ summary: 'Send a command to a device; its result comes as an asynchronous response (spec §4.3)' })
  @ApiQuery({ name: 'async-id', required: true, description: '1 to 40 letters, digits, _ or -' })
  @ApiQuery({ name: 'retry', required: false, description: '0 to 10 extra attempts' })
  @ApiQuery({ name: 'expiry-seconds', required: false, description: '1 to 2592000' })
  @ApiBody(bodySchema(DeviceRequestSchema))
  @ApiResponse({ status: 202, description: 'In the queue of the device' })
  @ApiResponse({
    status: 400,
    description: 'MALFORMED_ASYNC_ID, MALFORMED_JSON_CONTENT, RESOURCE_NOT_FOUND, QUEUE_IS_FULL',
  })
  @ApiResponse({ status: 404, description: 'DEVICE_NOT_FOUND' })
  @ApiResponse({ status: 409, description: 'ASYNC_ID_ALREADY_USED' })
  async send(
    @Caller() caller: Identity,
    @Param('deviceId') deviceId: string,
    @Query() query: DeviceRequestQuery,
    @Body() body: unknown,
  ): Promise<void> {
    const device = await this.commands.device(caller, deviceId);
    const request = readDeviceRequest(query, body, device.session?.data.queueMode ?? false);
    await this.commands.send(caller, device, { kind: 'device-request', ...request });
  }
}

import { ListParameters, type ListRequest, listSchema, Operation, RequiresPermission } from '@lanyard/service';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeviceSubscriptionSchema, deviceSubscriptionsSpec, SubscriptionsOfDevice } from './device-subscriptions.js';

@ApiTags('Subscriptions')
@RequiresPermission('subscriptions')
@Controller('v3/devices/:deviceId/subscriptions')
export class DeviceSubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsOfDevice) {}

  @Get()
  @Operation({
    summary: 'List all subscriptions to a device',
    description:
      'Lists which resources of the device are reported to which keys. Administrators see the subscriptions of all keys, other keys their own.',
    ok: listSchema(DeviceSubscriptionSchema, 'DeviceSubscriptionList'),
    notFound: 'DEVICE_NOT_FOUND',
  })
  list(@Param('deviceId') deviceId: string, @ListParameters(deviceSubscriptionsSpec) query: ListRequest) {
    return this.subscriptions.list(query.caller, deviceId, query);
  }
}

import { Injectable } from '@nestjs/common';
import { Sessions } from '../sessions/sessions.js';
import { DeviceDirectory } from '../state/device-directory.js';

/** Finds the endpoint name of a device: in the directory, or else in its session on this replica. */
@Injectable()
export class EndpointNames {
  constructor(
    private readonly directory: DeviceDirectory,
    private readonly sessions: Sessions,
  ) {}

  nameOf(deviceId: string): string | undefined {
    return this.directory.get(deviceId)?.endpointName || this.sessions.get(deviceId)?.data.endpointName;
  }
}

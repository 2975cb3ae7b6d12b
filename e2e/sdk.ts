import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import { thermometer } from '@lanyard/testing';
import type { Application } from './application.js';
import { fresh } from './journeys.js';
import { eventually } from './patience.js';

interface SdkDevice {
  id: string;
  name: string;
}

/** The part of the SDK that the journey uses; the package has types of its own for another module system. */
interface Sdk {
  ConnectApi: new (config: object) => {
    startNotifications(): Promise<void>;
    stopNotifications(): Promise<void>;
    listConnectedDevices(): Promise<{ data: SdkDevice[] }>;
    listResources(deviceId: string): Promise<{ path: string }[]>;
    getResourceValue(deviceId: string, path: string): Promise<{ value: string }>;
    setResourceValue(deviceId: string, path: string, value: string): Promise<unknown>;
  };
  DeviceDirectoryApi: new (config: object) => {
    listDevices(): Promise<{ data: SdkDevice[] }>;
    listDeviceEvents(): Promise<{ data: { deviceId: string }[] }>;
  };
}

/** Journey 3: the JavaScript SDK of the compatible service, unchanged: lists, reads and writes, answers through pull. */
export const officialSdk = async (admin: Application, coapUrl: string): Promise<void> => {
  const { ConnectApi, DeviceDirectoryApi } = createRequire(import.meta.url)('mbed-cloud-sdk') as Sdk;
  const app = await admin.another(fresh('sdk'));
  const config = { apiKey: app.key, host: app.baseUrl };
  const [connect, directory] = [new ConnectApi(config), new DeviceDirectoryApi(config)];
  const demo = thermometer({ name: fresh('sdk-device'), server: coapUrl });
  await demo.device.open();
  await demo.device.register();
  const deviceId = await app.deviceId(demo.device.name);
  await connect.startNotifications();
  try {
    await eventually(async () =>
      expect((await connect.listConnectedDevices()).data.map((d) => d.id)).toContain(deviceId),
    );
    expect((await directory.listDevices()).data.find((d) => d.id === deviceId)?.name).toBe(demo.device.name);
    expect((await connect.listResources(deviceId)).map((r) => r.path)).toContain('/3303/0');
    expect((await connect.getResourceValue(deviceId, '/3/0/0')).value).toBe('Lanyard');
    await connect.setResourceValue(deviceId, '/3341/0/5527', 'from the SDK');
    expect(demo.text).toBe('from the SDK');
    await eventually(async () =>
      expect((await directory.listDeviceEvents()).data.map((e) => e.deviceId)).toContain(deviceId),
    );
  } finally {
    await connect.stopNotifications();
    await demo.device.close();
  }
};

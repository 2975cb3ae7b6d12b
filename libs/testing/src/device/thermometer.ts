import { DeviceClient } from './device-client.js';
import type { DeviceOptions } from './device-options.js';

export interface Thermometer {
  device: DeviceClient;
  /** Degrees Celsius; changing it reports nothing by itself. */
  celsius: number;
  /** Text shown on its display (/3341/0/5527, writable). */
  text: string;
  /** Number of reboot commands (/3/0/4). */
  reboots: number;
}

/** A demonstration device: a temperature (/3303/0/5700), a text that can be written, and a reboot that can be executed. */
export const thermometer = (options: DeviceOptions): Thermometer => {
  const device = new DeviceClient(options);
  const state: Thermometer = { device, celsius: 21.5, text: 'hello', reboots: 0 };
  device.resources
    .set('/3/0/0', { read: () => 'Lanyard' })
    .set('/3/0/1', { read: () => 'Demo thermometer' })
    .set('/3/0/2', { read: () => options.name })
    .set('/3/0/4', {
      execute: () => {
        state.reboots++;
      },
    })
    .set('/3/0/11', { read: () => 0 })
    .set('/3303/0/5700', { read: () => state.celsius })
    .set('/3303/0/5701', { read: () => 'Cel' })
    .set('/3341/0/5527', {
      read: () => state.text,
      write: (payload) => {
        state.text = payload.toString();
      },
    });
  return state;
};

import { type Profile } from '../settings/group.js';
import { type Thing } from './resource.js';

const rounded = (value: number): number => Math.round(value * 10) / 10;

const minuteMs = 60_000;

/** For each profile, how far the temperature is above the mean of the device. */
const developments: Record<Profile, (device: Thing) => number> = {
  noise: (device) => device.random() * 2,
  // A period of ten minutes, with another phase for each device.
  wave: (device) => 5 * Math.sin((device.nowMs() / (10 * minuteMs)) * 2 * Math.PI + device.number),
  steps: (device) => 5 * ((Math.floor(device.nowMs() / minuteMs) + device.number) % 3),
  constant: () => 0,
};

/** Degrees Celsius; each device has another mean. */
export const temperatureOf =
  (profile: Profile) =>
  (device: Thing): number =>
    rounded(20 + (device.number % 10) + developments[profile](device));

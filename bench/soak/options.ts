/** Options of a soak. */
import { wholeNumber } from '../../tools/lanyard/command-line.ts';

export const usage =
  'npm run soak -- [--minutes N] [--devices N] [--values-per-second N] [--commands-per-second N] [--channels N] [--restart-minutes N] [--report FILE]';

export const options = {
  minutes: { type: 'string', default: '120' },
  devices: { type: 'string', default: '100000' },
  'values-per-second': { type: 'string', default: '2000' },
  'commands-per-second': { type: 'string', default: '50' },
  channels: { type: 'string', default: '200' },
  'restart-minutes': { type: 'string', default: '10' },
  report: { type: 'string', default: '.lanyard/soak.html' },
} as const;

export interface Load {
  minutes: number;
  /** Devices of each channel. */
  devices: number;
  /** Values a second of each channel. */
  valuesPerSecond: number;
  commandsPerSecond: number;
  channels: number;
  restartMinutes: number;
}

/** Throws Stop for a value that is not a number. */
export const readLoad = (values: Record<Exclude<keyof typeof options, 'report'>, string>): Load => {
  const number = (name: keyof typeof values, min = 1) => wholeNumber(name, values[name], min);
  const channels = number('channels');
  return {
    channels,
    minutes: number('minutes'),
    devices: Math.max(1, Math.round(number('devices') / channels)),
    valuesPerSecond: Math.max(1, Math.round(number('values-per-second') / channels)),
    commandsPerSecond: number('commands-per-second'),
    restartMinutes: number('restart-minutes'),
  };
};

import { describe, expect, it } from '@jest/globals';
import { type DeviceSessionChanged, DeviceSessions, fixtures } from '@lanyard/contracts';
import { lastFacts } from './session-writer.js';

const fact = (deviceId: string, epoch: number, change: DeviceSessionChanged['change']): DeviceSessionChanged => ({
  ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
  deviceId,
  epoch,
  change,
});

describe('the last fact of each device in a batch', () => {
  it('is the last one told of the highest epoch', () => {
    const facts = [
      fact('b', 1, 'registered'),
      fact('a', 2, 'registered'),
      fact('b', 1, 'deregistered'),
      fact('a', 1, 'expired'),
    ];
    expect(lastFacts(facts).map((f) => [f.deviceId, f.epoch, f.change])).toEqual([
      ['a', 2, 'registered'],
      ['b', 1, 'deregistered'],
    ]);
  });
});

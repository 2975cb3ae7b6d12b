import { describe, expect, it } from '@jest/globals';
import {
  type DeviceCommandAccepted,
  type DeviceCommandFinished,
  DeviceCommandResults,
  DeviceCommands,
  DeviceValues,
  fixtures,
  type ResourceValueArrived,
} from '@lanyard/contracts';
import { finishedValues, pendingValues, reportedValues } from './facts.js';

const value = (name: string): ResourceValueArrived => fixtures(DeviceValues).valid[name] as ResourceValueArrived;
const command = (name: string): DeviceCommandAccepted => fixtures(DeviceCommands).valid[name] as DeviceCommandAccepted;
const result = (name: string): DeviceCommandFinished =>
  fixtures(DeviceCommandResults).valid[name] as DeviceCommandFinished;

describe('reported values', () => {
  it('expire when their max-age is over', () => {
    expect(reportedValues(value('notification for one key'))).toMatchObject([
      {
        path: '/3303/0/5700',
        contentType: 'text/plain',
        reportedAt: '2024-01-01T10:00:00.123456Z',
        expiresAt: '2024-01-01T10:01:00.123Z',
        epoch: 3,
        sequence: 17,
      },
    ]);
  });

  it('an empty payload is a value', () => {
    expect(reportedValues(value('empty payload'))[0]?.value).toHaveLength(0);
  });

  it('a whole instance becomes one value per resource', () => {
    const values = reportedValues(value('whole instance as TLV'));
    expect(values.map((v) => [v.path, String(v.value)])).toEqual([['/3303/0/5700', '22.5']]);
  });

  it('an instance that cannot be read is kept as it came', () => {
    const broken = value('whole instance as TLV');
    const values = reportedValues({ ...broken, item: { ...broken.item, payload: '/////w==' } });
    expect(values).toMatchObject([{ path: '/3303/0', contentType: 'application/vnd.oma.lwm2m+tlv' }]);
  });
});

describe('desired values', () => {
  it('a write is pending from when it was accepted', () => {
    expect(pendingValues(command('write'))).toMatchObject([
      {
        path: '/3303/0/5700',
        status: 0,
        desiredAt: '2024-01-01T10:00:00.123456Z',
        statusUpdatedAt: '2024-01-01T10:00:00.123456Z',
      },
    ]);
  });

  it.each(['read', 'write attributes', 'subscription'])('%s desires nothing', (name) => {
    expect(pendingValues(command(name))).toEqual([]);
  });

  it('success and failure keep the time of the command and have one of their own', () => {
    expect(finishedValues(result('write succeeded'))).toMatchObject([
      { status: 1, desiredAt: '2024-01-01T10:00:00.123456Z', statusUpdatedAt: '2024-01-01T10:00:02Z' },
    ]);
    const expired = { ...result('expired in the queue'), written: { payload: 'Nw==' } };
    expect(finishedValues(expired)).toMatchObject([{ status: 2 }]);
    expect(finishedValues(result('read succeeded'))).toEqual([]);
  });
});

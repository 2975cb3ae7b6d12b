import { describe, expect, it } from '@jest/globals';
import {
  type DeviceCommandFinished,
  DeviceCommandResults,
  type DeviceEventReported,
  DeviceEvents,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  DeviceSessions,
  fixtures,
} from '@lanyard/contracts';
import { eventCodes, lookUpCode, toEventCode, toEventType } from './codes.js';
import { entryId, lifecycleEntry, reportedEntry, sessionEntry, unreachedEntry } from './entry.js';

const session = (name: string): DeviceSessionChanged => fixtures(DeviceSessions).valid[name] as DeviceSessionChanged;
const lifecycle = (name: string): DeviceLifecycleChanged =>
  fixtures(DeviceLifecycle).valid[name] as DeviceLifecycleChanged;
const reported = (name: string): DeviceEventReported => fixtures(DeviceEvents).valid[name] as DeviceEventReported;

describe('codes', () => {
  it('numeric types are unique over all tables', () => {
    const types = Object.values(eventCodes).map((c) => c.type);
    expect(new Set(types).size).toBe(types.length);
  });

  it.each([
    ['SYS_106', '106', 'INFO', 'INFO'],
    ['SYS_100', '100', 'FAIL', 'FAIL_NETWORK'],
    ['SYS_112', '112', 'SUCCESS', 'SUCCESS'],
    ['SYS_110', '110', 'SKIPPED', 'SKIPPED'],
    ['UPD4_FAIL_27', '27', 'FAIL', 'FAIL_CLIENT'],
    ['UPD2_OK_18', '18', 'SUCCESS', 'SUCCESS'],
    ['UPD1_FAIL_7', '7', 'INFO', 'INFO'],
  ])('%s is type %s, %s, %s', (code, type, outcome, category) => {
    expect(lookUpCode(code)).toMatchObject({ type, outcome, category });
  });

  it('have types, by which those of the catalogue are found', () => {
    expect(['SYS_106', '106', 'UPD4_FAIL_27', 'UPD1_FAIL_7', '7'].map(toEventType)).toEqual([
      '106',
      '106',
      '27',
      '7',
      '7',
    ]);
    expect(['106', 'SYS_106', '27', 'UPD1_FAIL_7', '7'].map(toEventCode)).toEqual([
      'SYS_106',
      'SYS_106',
      'UPD4_FAIL_27',
      'UPD1_FAIL_7',
      '7',
    ]);
  });
});

describe('entries', () => {
  it.each([
    ['registered', 'SYS_106', 'Device registered'],
    ['deregistered by a suspension', 'SYS_105', 'Device deregistered: it was suspended'],
    ['expired', 'SYS_105', 'Device deregistered: its registration expired'],
    ['left by its gateway', 'SYS_105', 'Device deregistered: its LwM2M gateway does not serve it any more'],
  ])('%s becomes %s', (name, eventCode, description) => {
    expect(sessionEntry(session(name))).toMatchObject({ eventCode, description, stateChange: true });
  });

  it('a registration behind a gateway names the gateway', () => {
    const fact = session('registered behind a gateway');
    expect(sessionEntry(fact)?.data).toMatchObject({ host_gateway: fact.hostGateway });
    expect(sessionEntry(session('registered'))?.data).not.toHaveProperty('host_gateway');
  });

  it('an update of a registration is no entry', () => {
    expect(sessionEntry(session('updated'))).toBeUndefined();
  });

  it('a change told twice is one entry; the next registration is another', () => {
    const once = session('registered');
    expect(sessionEntry(once)?.id).toBe(sessionEntry({ ...once })?.id);
    expect(sessionEntry({ ...once, epoch: once.epoch + 1 })?.id).not.toBe(sessionEntry(once)?.id);
  });

  it('a suspension says by whom and why', () => {
    expect(lifecycleEntry(lifecycle('suspended'))).toMatchObject({
      eventCode: 'SYS_201',
      description: 'Device suspended by operator: lost_or_stolen',
      changes: { lifecycle_status: 'blocked' },
      data: { category: 'lost_or_stolen', by: 'operator', text: 'Gone since Monday' },
    });
    expect(lifecycleEntry(lifecycle('asked for by a key'), 'asked-by-test')?.data).toMatchObject({
      request_id: 'asked-by-test',
      actor_key_id: expect.any(String),
    });
    expect(lifecycleEntry({ ...lifecycle('created'), change: 'changed' })).toBeUndefined();
  });

  it('a deleted device is an entry, the refused id of a first contact is none: it never had a device', () => {
    const deleted = lifecycle('deleted');
    expect(lifecycleEntry(deleted)).toMatchObject({ eventCode: 'SYS_203', deviceId: deleted.deviceId });
    expect(lifecycleEntry({ ...deleted, revision: 0 })).toBeUndefined();
  });

  it('what other systems report keeps its own id, words and data', () => {
    expect(reportedEntry(reported('campaign result'))).toMatchObject({
      id: reported('campaign result').eventId,
      eventCode: 'SYS_112',
      description: 'Device reached the desired state',
      stateChange: true,
      data: { campaign_id: expect.any(String) },
    });
    expect(reportedEntry(reported('client code')).description).toMatch(/firmware version rejected/);
  });

  it('what operators did has its actor, and no device when it was done to none', () => {
    expect(reportedEntry(reported('operator action without a device'))).toMatchObject({
      eventCode: 'SYS_510',
      deviceId: '',
      description: 'API key created: app',
      data: { actor_key_id: expect.any(String), actor_account_id: expect.any(String) },
    });
  });

  it('ids sort by time', () => {
    expect(entryId('2024-01-01T00:00:00.001Z', 'x') > entryId('2024-01-01T00:00:00Z', 'y')).toBe(true);
  });
});

describe('commands that gave up on the device', () => {
  const result = (name: string): DeviceCommandFinished =>
    fixtures(DeviceCommandResults).valid[name] as DeviceCommandFinished;

  it.each(['expired in the queue', 'device silent'])('%s: SYS_100, once, with what was asked', (name) => {
    const fact = result(name);
    expect(unreachedEntry(fact, 'r-1')).toMatchObject({
      id: unreachedEntry(fact)?.id,
      eventCode: 'SYS_100',
      deviceId: fact.deviceId,
      occurredAt: fact.finishedAt,
      stateChange: false,
      data: {
        command_id: fact.commandId,
        method: 'PUT',
        path: '/3303/0/5700',
        request_id: 'r-1',
      },
    });
  });

  it.each(['expired in the queue', 'device silent'])('%s: the error is for the sender of the command only', (name) => {
    const fact = result(name);
    expect(fact.item.error).toMatch(/REQUEST_EXPIRED|TIMEOUT/);
    expect(JSON.stringify(unreachedEntry(fact))).not.toContain(fact.item.error);
  });

  it.each(['NOT_CONNECTED', 'TIMEOUT', 'CONNECTION_FAILED'])('a subscription that ends with %s counts too', (error) => {
    const fact = result('device silent');
    const subscription = { ...fact, kind: 'subscription' as const, item: { ...fact.item, error } };
    expect(unreachedEntry(subscription)).toMatchObject({ eventCode: 'SYS_100' });
  });

  it.each([undefined, 'DEVICE_BLOCKED', 'REQUEST_CANCELLED', 'RESOURCE_NOT_FOUND'])('%s is no entry', (error) => {
    const fact = result('device silent');
    expect(unreachedEntry({ ...fact, item: { ...fact.item, error } })).toBeUndefined();
  });
});

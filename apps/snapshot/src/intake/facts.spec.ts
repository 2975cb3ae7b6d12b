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
import { AccountModels } from '@lanyard/lwm2m';
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
        expiresAt: '2024-01-01T10:01:00.123456Z',
        epoch: 3,
        sequence: 17,
      },
    ]);
  });

  it('are of the time at which the device measured them', () => {
    expect(reportedValues(value('sent later than it was measured'))).toMatchObject([
      { reportedAt: '2024-01-01T09:15:00.250000Z', isMeasured: true, expiresAt: '2024-01-01T09:16:00.250000Z' },
    ]);
    expect(reportedValues(value('notification for one key'))).toMatchObject([{ isMeasured: false }]);
  });

  it('an empty payload is a value', () => {
    expect(reportedValues(value('empty payload'))[0]?.value).toHaveLength(0);
  });

  it('a whole instance becomes one value per resource', () => {
    const values = reportedValues(value('whole instance as TLV'));
    expect(values.map((v) => [v.path, String(v.value)])).toEqual([['/3303/0/5700', '22.5']]);
  });

  it('the objects of an account are read with its own types', () => {
    const fact = value('whole instance as TLV');
    const models = new AccountModels();
    const resource = { name: 'x', type: 'integer', operations: 'R', multiple: false } as const;
    models.put(fact.accountId, { object: 33_000, name: 'x', resources: new Map([[1, resource]]) });
    const item = { ...fact.item, path: '/33000/0', payload: Buffer.from([0xc1, 1, 42]).toString('base64') };
    expect(reportedValues({ ...fact, item }, models)).toMatchObject([
      { contentType: 'text/plain', value: Buffer.from('42') },
    ]);
    expect(reportedValues({ ...fact, item })).toMatchObject([{ value: Buffer.from([42]) }]);
  });

  it('are read by the version of the object that the device has', () => {
    const fact = value('whole instance as TLV');
    const models = new AccountModels();
    const resource = { name: 'x', operations: 'R', multiple: false } as const;
    for (const [version, type] of [
      ['1.0', 'integer'],
      ['1.1', 'string'],
    ] as const)
      models.put(fact.accountId, {
        object: 33_000,
        name: 'x',
        version,
        resources: new Map([[1, { ...resource, type }]]),
      });
    const item = { ...fact.item, path: '/33000/0', payload: Buffer.from([0xc1, 1, 42]).toString('base64') };
    const textOf = (objectVersions?: Record<string, string>) =>
      reportedValues({ ...fact, item, objectVersions }, models).map((one) => String(one.value));
    expect([textOf(), textOf({ 33_000: '1.1' })]).toEqual([['42'], ['*']]);
    const write = { ...command('write'), path: '/33000/0', contentType: fact.item.ct, payload: item.payload };
    expect(pendingValues({ ...write, accountId: fact.accountId }, models, { 33_000: '1.1' })).toMatchObject([
      { value: Buffer.from('*') },
    ]);
  });

  it('an instance that cannot be read is kept as it came', () => {
    const broken = value('whole instance as TLV');
    const values = reportedValues({ ...broken, item: { ...broken.item, payload: '/////w==' } });
    expect(values).toMatchObject([{ path: '/3303/0', contentType: 'application/vnd.oma.lwm2m+tlv' }]);
  });
});

describe('desired values', () => {
  it('of several paths at once, each is one', () => {
    const pack = Buffer.from(
      JSON.stringify([
        { n: '/3341/0/5527', vs: 'a' },
        { n: '/1/0/1', v: 60 },
      ]),
    ).toString('base64');
    const written = {
      ...command('write'),
      method: 'IPATCH' as const,
      path: '/',
      contentType: undefined,
      payload: pack,
    };
    expect(pendingValues(written).map(({ path, value: bytes }) => [path, String(bytes)])).toEqual([
      ['/3341/0/5527', 'a'],
      ['/1/0/1', '60'],
    ]);
  });

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

  it.each(['PUT', 'POST'] as const)(
    'of an instance, by %s, there is one for each resource; without a type it is TLV',
    (method) => {
      const { payload } = value('whole instance as TLV').item;
      const about = { method, path: '/3303/0' };
      const pending = pendingValues({ ...command('write'), ...about, contentType: undefined, payload });
      const finished = finishedValues({ ...result('write succeeded'), ...about, written: { payload } });
      expect([...pending, ...finished].map((one) => [one.path, String(one.value), one.status])).toEqual([
        ['/3303/0/5700', '22.5', 0],
        ['/3303/0/5700', '22.5', 1],
      ]);
    },
  );

  it.each(['/3303', '/3/0/4'])('a POST to %s desires nothing', (path) => {
    expect(pendingValues({ ...command('write'), method: 'POST', path })).toEqual([]);
  });

  it('an empty value is one, and so is a value with attributes beside it', () => {
    expect(pendingValues({ ...command('write'), payload: '' }).map((one) => String(one.value))).toEqual(['']);
    expect(pendingValues({ ...command('write'), query: ['pmin=1'] }).map((one) => String(one.value))).toEqual(['7']);
    expect(pendingValues({ ...command('write attributes'), payload: '' })).toEqual([]);
    expect(pendingValues({ ...command('write'), method: 'POST', path: '/3303/0', payload: '' })).toEqual([]);
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

import { describe, expect, it } from '@jest/globals';
import { readRegistration, readUpdate } from './registration.js';

const request = (query: string[], payload = '') => ({
  sender: { accountId: '0'.repeat(32) },
  address: '127.0.0.1:5683',
  method: 'POST',
  path: ['rd'],
  query,
  payload: Buffer.from(payload),
});

describe('a registration', () => {
  it('is read with its alternate root, formats and unknown parameters', () => {
    const read = readRegistration(
      request(['ep=a', 'lt=60', 'lwm2m=1.1', 'b=U', 'Q', 'et=meter', 'x=1'], '</m>;rt="oma.lwm2m";ct=110,</m/3/0>'),
    );
    expect(read).toEqual({
      registration: {
        endpointName: 'a',
        endpointType: 'meter',
        lifetimeSeconds: 60,
        lwm2mVersion: '1.1',
        binding: 'U',
        queueMode: true,
        attributes: { x: '1' },
        rootPath: '/m',
        contentFormats: [110],
        links: [{ path: '/3/0', obs: true }],
      },
    });
  });

  it('only marked links can be observed where the device marks some; aobs is a token', () => {
    const read = readRegistration(request(['ep=a'], '</3200/0/5501>;rt=counter;ct=0;obs;aobs=258,</3200/0/5500>'));
    expect(read).toMatchObject({
      registration: {
        lifetimeSeconds: 86_400,
        links: [
          { path: '/3200/0/5501', rt: 'counter', ct: 'text/plain', obs: true, autoToken: '0102' },
          { path: '/3200/0/5500', obs: false },
        ],
      },
    });
  });
});

describe('an update', () => {
  it('changes what it names', () => {
    expect(readUpdate(request([]))).toEqual({ change: {} });
    expect(readUpdate(request(['lt=30']))).toEqual({ change: { lifetimeSeconds: 30 } });
    expect(readUpdate(request([], '</3/0>'))).toEqual({
      change: { rootPath: '', contentFormats: [], links: [{ path: '/3/0', obs: true }] },
    });
    expect(readUpdate(request(['lt=x']))).toMatchObject({ refusal: { code: '4.00' } });
  });
});

import { describe, expect, it } from '@jest/globals';
import { namesIn, standardModels } from '@lanyard/lwm2m';
import type { RegistrationData } from '../sessions/session.js';
import type { DeviceRequest } from '../transport/device-link.js';
import type { Operation } from './operation.js';
import { createdPath, observeRequest, type OperationRequest, requestFor } from './requests.js';

const data = { lwm2mVersion: '1.1', rootPath: '', contentFormats: [110, 112] } as unknown as RegistrationData;
const payload = Buffer.from('1');
const ask = (operation: Operation, path: string, more: Partial<OperationRequest> = {}): OperationRequest => ({
  operation,
  path,
  query: [],
  accept: null,
  contentType: null,
  payload: null,
  ...more,
});

describe('requestFor', () => {
  it.each<[string, OperationRequest, object]>([
    ['a text resource is read as text', ask('read', '/3/0/0'), { method: 'GET', path: '/3/0/0', accept: 0 }],
    ['opaque bytes are read as such', ask('read', '/5/0/0'), { method: 'GET', path: '/5/0/0', accept: 42 }],
    [
      'an instance is read as TLV, though the device names SenML',
      ask('read', '/3/0'),
      { method: 'GET', path: '/3/0', accept: 11542 },
    ],
    [
      'a requested format is passed on',
      ask('read', '/3/0', { accept: 'application/senml+json' }),
      { method: 'GET', path: '/3/0', accept: 110 },
    ],
    ['discover', ask('discover', '/3'), { method: 'GET', path: '/3', accept: 40 }],
    [
      'discover down to a depth',
      ask('discover', '/3', { query: ['depth=1'] }),
      { method: 'GET', path: '/3', accept: 40, query: ['depth=1'] },
    ],
    ['delete an instance of a resource', ask('delete', '/3/0/6/1'), { method: 'DELETE', path: '/3/0/6/1' }],
    [
      'a text value',
      ask('write', '/3341/0/5527', { payload }),
      { method: 'PUT', path: '/3341/0/5527', query: [], payload, contentFormat: 0 },
    ],
    [
      'a package is bytes',
      ask('write', '/5/0/0', { payload }),
      { method: 'PUT', path: '/5/0/0', query: [], payload, contentFormat: 42 },
    ],
    [
      'a given type',
      ask('write', '/3/0/15', { payload, contentType: 'application/vnd.oma.lwm2m+tlv' }),
      { method: 'PUT', path: '/3/0/15', query: [], payload, contentFormat: 11542 },
    ],
    [
      'write attributes have no payload',
      ask('write-attributes', '/3/0', { query: ['pmin=1'] }),
      { method: 'PUT', path: '/3/0', query: ['pmin=1'] },
    ],
    ['a bare execute', ask('execute', '/3/0/4'), { method: 'POST', path: '/3/0/4', query: [] }],
    [
      'execute with arguments',
      ask('execute', '/3/0/4', { payload }),
      { method: 'POST', path: '/3/0/4', query: [], payload, contentFormat: 0 },
    ],
    [
      'create',
      ask('create', '/3303', { payload }),
      { method: 'POST', path: '/3303', query: [], payload, contentFormat: 11542 },
    ],
    [
      'paths in SenML-ETCH are answered in SenML',
      ask('read-composite', '/', { payload, contentType: 'application/senml-etch+cbor' }),
      { method: 'FETCH', path: '/', payload, contentFormat: 322, accept: 112 },
    ],
    [
      'or as the sender wishes',
      ask('read-composite', '/', {
        payload,
        contentType: 'application/senml-etch+json',
        accept: 'application/vnd.oma.lwm2m+cbor',
      }),
      { method: 'FETCH', path: '/', payload, contentFormat: 320, accept: 11544 },
    ],
    [
      'values of several paths in LwM2M CBOR',
      ask('write-composite', '/', { payload, contentType: 'application/vnd.oma.lwm2m+cbor' }),
      { method: 'IPATCH', path: '/', payload, contentFormat: 11544 },
    ],
    ['delete', ask('delete', '/3303/1'), { method: 'DELETE', path: '/3303/1' }],
  ])('%s', (_, asked, request) => {
    expect(requestFor(data, asked, standardModels())).toEqual(request);
  });

  it('an empty value is a write of nothing, not write attributes', () => {
    expect(requestFor(data, ask('write', '/3341/0/5527'), standardModels())).toMatchObject({
      payload: Buffer.alloc(0),
      contentFormat: 0,
    });
  });

  it('an empty value is in the format that its sender names', () => {
    const typed = (contentType: string) =>
      requestFor(data, ask('write', '/3341/0/5527', { payload: Buffer.alloc(0), contentType }), standardModels());
    expect(typed('application/octet-stream')).toMatchObject({ payload: Buffer.alloc(0), contentFormat: 42 });
    expect(typed('60')).toMatchObject({ payload: Buffer.alloc(0), contentFormat: 60 });
  });

  it('formats go by the numbers that the device knows', () => {
    const old = { ...data, contentFormats: [1541, 1542] };
    const models = standardModels();
    expect(requestFor(old, ask('read', '/3/0/0', { accept: 'text/plain' }), models).accept).toBe(1541);
    expect(requestFor(old, ask('write', '/3341/0/5527', { payload }), models).contentFormat).toBe(1541);
    const tlv = { payload, contentType: 'application/vnd.oma.lwm2m+tlv' };
    expect(requestFor(old, ask('write-partial', '/3/0', tlv), models).contentFormat).toBe(1542);
    expect(requestFor(old, ask('create', '/3341', { payload }), models).contentFormat).toBe(1542);
    expect(requestFor(old, ask('read', '/3/0/0', { accept: '0' }), models).accept).toBe(0);
    expect(requestFor(old, ask('write', '/5/0/0', { payload }), models).contentFormat).toBe(42);
  });

  it('an observation has its attributes in the query', () => {
    const request = { method: 'GET', path: '/3303/0/5700', accept: 0, query: ['gt=30', 'pmin=1'] };
    const target = { path: '/3303/0/5700', attributes: 'gt=30&pmin=1' };
    expect(observeRequest(data, target, standardModels())).toEqual(request);
    expect(observeRequest(data, { path: '/3303/0/5700' }, standardModels())).not.toHaveProperty('query');
  });

  it('paths lie below the root of the device', () => {
    expect(observeRequest({ ...data, rootPath: '/lwm2m' }, { path: '/3/0/0' }, standardModels()).path).toBe(
      '/lwm2m/3/0/0',
    );
  });
});

describe('the names in the payload of a device with an alternate root', () => {
  const below = { ...data, rootPath: '/lwm2m' };
  const list = Buffer.from('[{"n":"/3/0/0"},{"n":"/3303"}]');
  const named = ['/lwm2m/3/0/0', '/lwm2m/3303'];
  const namesOf = ({ contentFormat: format = -1, payload: bytes = Buffer.alloc(0) }: DeviceRequest): string[] =>
    namesIn(format, bytes);

  it('have the root in composite operations', () => {
    const read = requestFor(below, ask('read-composite', '/', { payload: list }), standardModels());
    expect(read).toMatchObject({ method: 'FETCH', path: '/lwm2m', contentFormat: 110, accept: 110 });
    expect(namesOf(read)).toEqual(named);
    const values = Buffer.from('[{"bn":"/3/0/","n":"15","vs":"UTC"}]');
    const write = requestFor(below, ask('write-composite', '/', { payload: values }), standardModels());
    expect(write).toMatchObject({ method: 'IPATCH', path: '/lwm2m', contentFormat: 110 });
    expect(namesOf(write)).toEqual(['/lwm2m/3/0/15']);
  });

  it.each([110, 112, 320, 322])('have the root in an Observe-Composite in format %i', (format) => {
    const target = { path: 'id', together: { paths: ['/3/0/0', '/3303'], format } };
    const request = observeRequest(below, target, standardModels());
    expect(request).toMatchObject({ method: 'FETCH', path: '/lwm2m', contentFormat: format });
    expect(namesOf(request)).toEqual(named);
  });

  it('have the root in a write in SenML', () => {
    const values = { payload: Buffer.from('[{"n":"/3/0/15","vs":"UTC"}]'), contentType: 'application/senml+json' };
    const request = requestFor(below, ask('write-partial', '/3/0', values), standardModels());
    expect(request).toMatchObject({ method: 'POST', path: '/lwm2m/3/0' });
    expect(namesOf(request)).toEqual(['/lwm2m/3/0/15']);
  });

  it('are left to the device where they cannot be read', () => {
    const values = { payload: Buffer.from('[{'), contentType: 'application/senml+json' };
    const request = requestFor(below, ask('write-partial', '/3/0', values), standardModels());
    expect(request.payload).toBe(values.payload);
  });
});

describe('createdPath', () => {
  it.each<[string, string[], string | undefined]>([
    ['', ['3303', '1'], '/3303/1'],
    ['/lwm2m', ['lwm2m', '3303', '1'], '/3303/1'],
    ['/lwm2m', ['3303', '1'], '/3303/1'],
    ['', [], undefined],
    ['', ['3303'], undefined],
    ['', ['3303', '1', '5700'], undefined],
    ['', ['3303', '99999'], undefined],
    ['', ['rd', 'x'], undefined],
  ])('below %j, %j is %s', (rootPath, location, path) => expect(createdPath(rootPath, location)).toBe(path));
});

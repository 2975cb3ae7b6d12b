import { describe, expect, it } from '@jest/globals';
import { changeFor, readRegistration, readUpdate } from './registration.js';

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

describe('what LwM2M 1.2 adds to a registration', () => {
  it('is taken: its version, its transports, and the ids of profiles', () => {
    const query = ['ep=a', 'lwm2m=1.2', 'b=UMH', 'Q', 'pid="oma:lamp,6:1234abcd"'];
    const read = readRegistration(request(query, '</>;rt="oma.lwm2m";ct="112 322 11544",</3/0>;ver=1.2;edge=1'));
    expect(read).toMatchObject({
      registration: {
        lwm2mVersion: '1.2',
        binding: 'UMH',
        queueMode: true,
        attributes: { pid: '"oma:lamp,6:1234abcd"' },
        contentFormats: [112, 322, 11_544],
        links: [{ path: '/3/0', obs: true }],
        objectVersions: { 3: '1.2' },
      },
    });
  });

  it('a profile instead of the list of objects is refused with 4.09: the device sends the list', () => {
    const refusal = { refusal: { code: '4.09', diagnostic: expect.stringMatching(/^pid: /) as unknown } };
    expect(readRegistration(request(['ep=a', 'lwm2m=1.2', 'pid=oma:lamp']))).toEqual(refusal);
    expect(readUpdate(request(['pid=oma:lamp']))).toEqual(refusal);
    expect(readUpdate(request(['pid=oma:lamp'], '</3/0>'))).toMatchObject({ change: { links: [{ path: '/3/0' }] } });
  });

  it.each(['XYZ', 'UU', 'Q', ''])('b=%s is refused by the name of the parameter, in an update too', (b) => {
    const refusal = { refusal: { code: '4.00', diagnostic: expect.stringMatching(/^b: /) as unknown } };
    expect(readRegistration(request(['ep=a', 'lwm2m=1.2', `b=${b}`]))).toEqual(refusal);
    expect(readUpdate(request([`b=${b}`]))).toEqual(refusal);
  });
});

describe('the name of a device', () => {
  it.each([
    ['its own', ['ep=a', 'lwm2m=1.1'], 'b', 'a'],
    ['that of its credential from LwM2M 1.1 on', ['lwm2m=1.1'], 'b', 'b'],
    ['that of its credential in LwM2M 1.2', ['lwm2m=1.2'], 'b', 'b'],
  ])('is %s', (_, query, proved, endpointName) => {
    expect(readRegistration(request(query), proved)).toMatchObject({ registration: { endpointName } });
  });

  it.each([
    ['LwM2M 1.0', ['lwm2m=1.0'], 'b'],
    ['a device that proves nothing', ['lwm2m=1.1'], undefined],
  ])('must be there for %s', (_, query, proved) => {
    expect(readRegistration(request(query), proved)).toMatchObject({
      refusal: { code: '4.00', diagnostic: 'ep: is missing' },
    });
  });
});

describe('the limit of the directory', () => {
  const longest = 'ä'.repeat(64);

  it.each([
    ['one UTF-16 unit', longest],
    ['two UTF-16 units', `${'\u{1F600}'.repeat(63)}x`],
  ])('is that of endpoint names and types, in characters of %s', (_, name) => {
    expect(readRegistration(request([`ep=${name}`, `et=${name}`]))).toMatchObject({
      registration: { endpointName: name, endpointType: name },
    });
    expect(readRegistration(request([`ep=${name}x`]))).toMatchObject({ refusal: { code: '4.00' } });
  });

  it.each([
    ['ep', [`ep=${longest}x`], 'ep: must have at most 64 characters'],
    ['et', ['ep=a', `et=${longest}x`], 'et: must have at most 64 characters'],
    ['ep', ['ep=  '], 'ep: must not be blank'],
  ])('is named in a refusal (%s)', (_, query, diagnostic) => {
    expect(readRegistration(request(query))).toEqual({ refusal: { code: '4.00', diagnostic } });
  });
});

describe('links that are no LwM2M paths', () => {
  const children = Array.from({ length: 7 }, (_, n) => `,</dev${n}/3303/0>`).join('');

  it('are named, the first of them', () => {
    const leftOut = ['/dev0/3303/0', '/dev1/3303/0', '/dev2/3303/0', '/dev3/3303/0', '/dev4/3303/0'];
    const read = readRegistration(request(['ep=gateway'], `</>;rt="oma.lwm2m",</25/0>${children}`));
    expect(read).toMatchObject({ leftOut, registration: { links: [{ path: '/25/0' }] } });
    expect(read).not.toHaveProperty('registration.leftOut');
    const update = readUpdate(request([], `</25/0>${children}`));
    expect(update).toMatchObject({ leftOut, change: { links: [{ path: '/25/0' }] } });
    expect(update).not.toHaveProperty('change.leftOut');
  });

  it('are not there in other lists', () => {
    expect(readRegistration(request(['ep=a'], '</>;rt="oma.lwm2m";ct=110,</3/0>'))).not.toHaveProperty('leftOut');
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

  it.each([
    ['1.0', ['b=U'], { binding: 'U', queueMode: false }],
    ['1.0', ['b=UQ'], { binding: 'U', queueMode: true }],
    ['1.0', ['lt=30'], { lifetimeSeconds: 30 }],
    ['1.1', ['b=UT'], { binding: 'UT' }],
    ['1.1', ['b=U', 'Q'], { binding: 'U', queueMode: true }],
    ['1.2', ['b=M'], { binding: 'M' }],
  ])('of LwM2M %s with %j', (lwm2mVersion, query, changed) => {
    const read = readUpdate(request(query));
    if ('refusal' in read) throw new Error(read.refusal.diagnostic);
    expect(changeFor({ lwm2mVersion }, read.change)).toEqual(changed);
  });
});

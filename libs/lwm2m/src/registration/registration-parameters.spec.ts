import { describe, expect, it } from '@jest/globals';
import { seeded } from '../../test/seeded.js';
import { WrongParameter } from '../errors.js';
import { parseRegistration, parseUpdate, UnsupportedVersion } from './registration-parameters.js';

describe('parseRegistration', () => {
  it('reads all of it', () => {
    expect(
      parseRegistration(['ep=node-1', 'lt=300', 'lwm2m=1.1', 'b=UT', 'Q', 'sms=+4912345', 'et=meter', 'x=a=b', 'flag']),
    ).toEqual({
      endpointName: 'node-1',
      endpointType: 'meter',
      lifetimeSeconds: 300,
      version: '1.1',
      binding: 'UT',
      queueMode: true,
      smsNumber: '+4912345',
      others: { x: 'a=b', flag: '' },
    });
  });

  it('has defaults', () => {
    expect(parseRegistration([])).toEqual({
      lifetimeSeconds: 86_400,
      version: '1.0',
      binding: 'U',
      queueMode: false,
      others: {},
    });
  });

  it.each([
    ['UQ', 'U', true],
    ['SQ', 'S', true],
    ['UQS', 'US', true],
    ['US', 'US', false],
    ['N', 'N', false],
  ])('reads the binding %s of LwM2M 1.0', (b, binding, queueMode) => {
    expect(parseRegistration([`b=${b}`])).toMatchObject({ binding, queueMode });
  });

  it('reads each combination of the transports of LwM2M 1.2, with Q and without, in a registration and an update', () => {
    const subsets = [...'UTSNMH'].reduce((all, letter) => all.concat(all.map((some) => some + letter)), ['']).slice(1);
    expect(subsets).toHaveLength(63);
    for (const b of [...subsets, 'HMNSTU', 'TU'])
      for (const queueMode of [true, false]) {
        const query = [`b=${b}`, ...(queueMode ? ['Q'] : [])];
        expect(parseRegistration(['lwm2m=1.2', ...query])).toMatchObject({ binding: b, queueMode });
        expect(parseUpdate(query)).toEqual({ binding: b, ...(queueMode && { queueMode }), others: {} });
      }
  });

  it('takes a version in quotes, and each it knows', () => {
    expect(['1.0', '"1.0"', '1.1', '1.2'].map((v) => parseRegistration([`lwm2m=${v}`]).version)).toEqual([
      '1.0',
      '1.0',
      '1.1',
      '1.2',
    ]);
    expect(() => parseRegistration(['lwm2m=2.0'])).toThrow(UnsupportedVersion);
    expect(() => parseRegistration([`lwm2m=${'9'.repeat(1_000)}`])).toThrow(/^lwm2m: version "9{20}" is not supported/);
  });

  it('takes an infinite lifetime as the longest one, in an update too', () => {
    expect(parseRegistration(['lt=0']).lifetimeSeconds).toBe(4_294_967_295);
    expect(parseUpdate(['lt=0'])).toEqual({ lifetimeSeconds: 4_294_967_295, others: {} });
  });

  it('bounds a name by its bytes', () => {
    expect(parseRegistration([`ep=${'a'.repeat(255)}`]).endpointName).toHaveLength(255);
    expect(() => parseRegistration([`ep=${'ä'.repeat(128)}`])).toThrow(WrongParameter);
  });

  it.each([
    ['ep', 'ep='],
    ['ep', 'ep'],
    ['ep', 'ep=a\u0000b'],
    ['et', 'et='],
    ['lt', 'lt'],
    ['lt', 'lt='],
    ['lt', 'lt=-1'],
    ['lt', 'lt=4294967296'],
    ['lt', 'lt=99999999999999'],
    ['lt', 'lt=1.5'],
    ['lwm2m', 'lwm2m'],
    ['lwm2m', 'lwm2m='],
    ['b', 'b='],
    ['b', 'b=Q'],
    ['b', 'b=X'],
    ['b', 'b=UTSNQU'],
    ['b', 'b=UU'],
    ['b', 'b=QU'],
    ['b', 'b=u'],
    ['b', 'b=U,T'],
    ['b', 'b=UTSNMHQU'],
    ['Q', 'Q=1'],
    ['Q', 'Q='],
    ['sms', 'sms='],
    ['query', '=1'],
    ['query', ''],
  ])('names %s for "%s"', (parameter, part) => {
    expect(() => parseRegistration(['lwm2m=1.1', part].slice(part.startsWith('lwm2m') ? 1 : 0))).toThrow(
      expect.objectContaining({ parameter }),
    );
  });

  it('refuses a parameter that is given twice', () => {
    expect(() => parseRegistration(['ep=a', 'lt=60', 'ep=b'])).toThrow(expect.objectContaining({ parameter: 'ep' }));
    expect(() => parseRegistration(['x=a', 'x=b'])).toThrow(WrongParameter);
  });

  it('keeps a parameter named like a part of Object.prototype', () => {
    expect(Object.entries(parseRegistration(['__proto__=1']).others)).toEqual([['__proto__', '1']]);
  });
});

describe('parseUpdate', () => {
  it('says only what the request says', () => {
    expect(parseUpdate([])).toEqual({ others: {} });
    expect(parseUpdate(['lt=4294967295'])).toEqual({ lifetimeSeconds: 4_294_967_295, others: {} });
    expect(parseUpdate(['b=U'])).toEqual({ binding: 'U', others: {} });
    expect(parseUpdate(['b=UQ'])).toEqual({ binding: 'U', queueMode: true, others: {} });
    expect(parseUpdate(['Q'])).toEqual({ queueMode: true, others: {} });
    expect(parseUpdate(['sms=1', 'y=2'])).toEqual({ smsNumber: '1', others: { y: '2' } });
  });

  it.each(['lt=-1', 'b=', 'Q=1', 'lt', 'sms='])('refuses %s', (part) => {
    expect(() => parseUpdate([part])).toThrow(WrongParameter);
  });
});

it('30,000 hostile queries are read or refused as wrong', () => {
  const random = seeded(13);
  const names = ['ep', 'lt', 'lwm2m', 'b', 'Q', 'sms', 'et', 'x', '', '__proto__'];
  const values = ['', '=', '=1', '=1.1', '=U', '=UQ', '=60', '=\u0000', `=${'9'.repeat(400)}`];
  let read = 0;
  for (let run = 0; run < 30_000; run++) {
    const query = Array.from({ length: random.below(5) }, () =>
      random.chance(0.7) ? random.pick(names) + random.pick(values) : random.text(10),
    );
    for (const parse of [parseRegistration, parseUpdate])
      try {
        parse(query);
        read += 1;
      } catch (error) {
        if (!(error instanceof WrongParameter)) throw error;
      }
  }
  expect(read).toBeGreaterThan(3_000);
});

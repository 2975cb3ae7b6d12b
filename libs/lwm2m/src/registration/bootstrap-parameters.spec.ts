import { describe, expect, it } from '@jest/globals';
import { WrongParameter } from '../errors.js';
import { parseBootstrap } from './bootstrap-parameters.js';

describe('parameters of a Bootstrap-Request', () => {
  it.each([
    [[], {}],
    [['ep=meter-7'], { endpointName: 'meter-7' }],
    [['ep=meter-7', 'pct=112', 'x', 'y=1'], { endpointName: 'meter-7', preferredFormat: 112 }],
    [
      ['acc=</0/1>,</21/0>'],
      {
        bootstrapAccount: [
          { object: 0, instance: 1 },
          { object: 21, instance: 0 },
        ],
      },
    ],
  ])('%j', (query, parameters) => {
    expect(parseBootstrap(query, true)).toEqual(parameters);
  });

  it.each([
    [['ep']],
    [['ep=']],
    [['ep=a', 'ep=b']],
    [['pct=tlv']],
    [['pct=65536']],
    [['pct=']],
    [['acc=']],
    [['acc=0/1']],
    [['=x']],
    [['ep=a\nb']],
  ])('refuses %j', (query) => {
    expect(() => parseBootstrap(query, true)).toThrow(WrongParameter);
  });

  it('leaves out the account where no pack is asked for', () => {
    expect(parseBootstrap(['ep=meter-7', 'acc=0/1'], false)).toEqual({ endpointName: 'meter-7' });
  });
});

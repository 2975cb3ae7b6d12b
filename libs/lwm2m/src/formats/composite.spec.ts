import { describe, expect, it } from '@jest/globals';
import { hex } from '../../test/seeded.js';
import { Malformed, UnsupportedFormat } from '../errors.js';
import { standardModels } from '../models/standard-models.js';
import { answerFormatOf, decodeWriteComposite, encodePaths, namesIn, readCompositeFormats } from './composite.js';

const models = standardModels();
const written = (format: number, bytes: Buffer | string) =>
  decodeWriteComposite(format, Buffer.from(bytes as string), models);

describe('the list of paths of a composite operation', () => {
  it('names each path in SenML or SenML-ETCH, and in nothing else', () => {
    const json = '[{"n":"/3/0"},{"n":"/3303/0/5700"}]';
    for (const format of [110, 320]) expect(encodePaths(format, ['/3/0', '/3303/0/5700']).toString()).toBe(json);
    for (const format of [112, 322]) expect(encodePaths(format, ['/3303/0'])).toEqual(hex('81a100672f333330332f30'));
    for (const format of [0, 11_542, 11_544]) expect(() => encodePaths(format, ['/3/0'])).toThrow(UnsupportedFormat);
  });

  it('is read back', () => {
    const paths = ['/3/0', '/3303/0/5700', '/3/0/6/1'];
    for (const format of readCompositeFormats) expect(namesIn(format, encodePaths(format, paths))).toEqual(paths);
    expect(namesIn(320, Buffer.from('[{"bn":"/3/0/","n":"0"},{"n":"9","t":-5}]'))).toEqual(['/3/0/0', '/3/0/9']);
  });

  it('in SenML-ETCH is answered in SenML', () => {
    expect([110, 112, 320, 322, 11_544].map(answerFormatOf)).toEqual([110, 112, 110, 112, 11_544]);
  });
});

describe('the values of a Write-Composite', () => {
  it.each<[string, number, Buffer | string]>([
    ['SenML JSON', 110, '[{"bn":"/3341/0/","n":"5527","vs":"x"},{"bn":"/3303/0/","n":"5700","v":21}]'],
    ['SenML-ETCH JSON', 320, '[{"bn":"/3341/0/","n":"5527","vs":"x"},{"bn":"/3303/0/","n":"5700","v":21}]'],
    [
      'SenML-ETCH CBOR',
      322,
      hex('82 a2 00 6c 2f333334312f302f35353237 03 61 78 a2 00 6c 2f333330332f302f35373030 02 15'),
    ],
    ['LwM2M CBOR', 11_544, hex('a2 83 190d0d 00 191597 61 78 190ce7 a1 00 a1 191644 15')],
  ])('are the same in %s', (_name, format, bytes) => {
    expect(written(format, bytes)).toEqual([
      { path: '/3341/0/5527', type: 'string', value: 'x' },
      { path: '/3303/0/5700', type: 'float', value: 21 },
    ]);
  });

  it.each<[string, number, Buffer | string]>([
    ['SenML-ETCH JSON', 320, '[{"bn":"/3/0/6/","n":"0","v":1},{"n":"1","v":null}]'],
    ['SenML-ETCH CBOR', 322, hex('82 a3 21 67 2f332f302f362f 00 61 30 02 01 a2 00 61 31 02 f6')],
    ['LwM2M CBOR', 11_544, hex('a1 83 03 00 06 a2 00 01 01 f6')],
  ])('leave out what null removes: %s', (_name, format, bytes) => {
    expect(written(format, bytes)).toEqual([{ path: '/3/0/6/0', type: 'integer', value: 1 }]);
    expect(namesIn(format, Buffer.from(bytes as string))).toEqual(['/3/0/6/0', '/3/0/6/1']);
  });

  it.each<[string, number, Buffer | string]>([
    ['null in SenML', 110, '[{"n":"/3/0/6/1","v":null}]'],
    ['null beside a value', 320, '[{"n":"/3/0/6/1","v":null,"vs":"x"}]'],
    ['a text that is null', 320, '[{"n":"/3/0/6/1","vs":null}]'],
    ['undefined', 11_544, hex('a1 83 03 00 06 f7')],
  ])('refuses %s', (_name, format, bytes) => {
    expect(() => written(format, bytes)).toThrow(Malformed);
  });

  it.each([0, 60, 11_542, 11_543])('does not take format %i', (format) => {
    expect(() => written(format, '')).toThrow(UnsupportedFormat);
  });
});

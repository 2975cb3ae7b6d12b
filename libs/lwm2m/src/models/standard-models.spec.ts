import { describe, expect, it } from '@jest/globals';
import { firmwareResults, firmwareStates } from './firmware-update.js';
import { ModelRegistry, objectModel } from './model-registry.js';
import { standardModels } from './standard-models.js';

const models = standardModels();

const line = (object: number, resource: number): string => {
  const model = models.resource(object, resource);
  return model ? `${model.type}${model.multiple ? '*' : ''} ${model.operations}` : 'unknown';
};

describe('standardModels', () => {
  it.each([
    [0, 'LWM2M Security', 18],
    [1, 'LwM2M Server', 28],
    [2, 'LwM2M Access Control', 4],
    [3, 'Device', 23],
    [4, 'Connectivity Monitoring', 13],
    [5, 'Firmware Update', 14],
    [6, 'Location', 7],
    [7, 'Connectivity Statistics', 9],
    [9, 'LWM2M Software Management', 16],
    [25, 'LwM2M Gateway', 4],
  ])('knows object %i, %s, with %i resources', (object, name, count) => {
    expect(models.object(object)).toMatchObject({ object, name });
    expect(models.object(object)?.resources.size).toBe(count);
  });

  // From the OMA LwM2M registry, one row per resource.
  it.each([
    [0, 0, 'string '],
    [0, 5, 'opaque '],
    [0, 9, 'string '],
    [0, 16, 'unsigned* '],
    [0, 17, 'objlnk '],
    [1, 1, 'integer RW'],
    [1, 8, 'none E'],
    [1, 10, 'objlnk RW'],
    [1, 12, 'time R'],
    [1, 25, 'string* RW'],
    [1, 26, 'integer RW'],
    [2, 2, 'integer* RW'],
    [3, 0, 'string R'],
    [3, 4, 'none E'],
    [3, 6, 'integer* R'],
    [3, 13, 'time RW'],
    [3, 22, 'objlnk* R'],
    [4, 4, 'string* R'],
    [5, 0, 'opaque W'],
    [5, 1, 'string RW'],
    [5, 2, 'none E'],
    [5, 4, 'unknown'],
    [5, 10, 'none E'],
    [5, 12, 'time R'],
    [5, 13, 'unsigned RW'],
    [5, 14, 'boolean RW'],
    [6, 0, 'float R'],
    [6, 4, 'opaque R'],
    [6, 5, 'time R'],
    [7, 8, 'integer RW'],
    [3303, 5700, 'float R'],
    [3303, 5701, 'string R'],
    [3303, 5601, 'float R'],
    [3303, 5605, 'none E'],
    [3303, 5518, 'time R'],
    [3303, 6050, 'float R'],
    [3303, 6042, 'integer R'],
    [3200, 5500, 'boolean R'],
    [3201, 5550, 'boolean RW'],
    [3202, 5600, 'float R'],
    [3203, 5650, 'float RW'],
    [3304, 5700, 'float R'],
    [3308, 5900, 'float RW'],
    [3310, 5824, 'time RW'],
    [3310, 5825, 'integer RW'],
    [3311, 5850, 'boolean RW'],
    [3311, 5851, 'integer RW'],
    [3311, 5706, 'string RW'],
    [3313, 5702, 'float R'],
    [3313, 5508, 'float R'],
    [3336, 5514, 'string R'],
    [3336, 5517, 'opaque R'],
    [3338, 5548, 'float RW'],
    [3339, 5522, 'opaque RW'],
    [3340, 5543, 'boolean R'],
    [3340, 5544, 'float RW'],
    [3341, 5546, 'integer R'],
    [3344, 5541, 'integer RW'],
    [3347, 5501, 'integer R'],
    [3348, 5547, 'integer R'],
    [3349, 5910, 'integer R'],
    [3303, 9999, 'unknown'],
    [9, 0, 'string R'],
    [9, 7, 'integer R'],
    [9, 20, 'unknown'],
  ])('/%i/*/%i is %s', (object, resource, expected) => {
    expect(line(object, resource)).toBe(expected);
  });

  it.each([
    [1, 1, 's'],
    [3, 9, '%'],
    [4, 2, 'dBm'],
    [3305, 5805, 'Wh'],
    [3303, 5700, undefined],
  ])('/%i/*/%i has the unit %s', (object, resource, unit) => {
    expect(models.resource(object, resource)?.unit).toBe(unit);
  });

  it('is a registry of its own each time', () => {
    const own = standardModels();
    own.add(objectModel(3, 'Other', '0 Number integer R'));
    expect(own.resource(3, 0)?.type).toBe('integer');
    expect(standardModels().resource(3, 0)?.type).toBe('string');
  });

  it('has executable resources without a type and no others without one', () => {
    for (const object of [0, 1, 2, 3, 4, 5, 6, 7, 3303])
      for (const { type, operations } of models.object(object)?.resources.values() ?? [])
        expect(type === 'none').toBe(operations === 'E');
  });
});

describe('objectModel', () => {
  it('reads a table', () => {
    const registry = new ModelRegistry([
      objectModel(10_000, 'Own', '0 A b (c) float* RW m/s\n  7 D none E\n9 E opaque -'),
    ]);
    const read = { name: 'A b (c)', type: 'float', multiple: true, operations: 'RW', unit: 'm/s' };
    expect(registry.resource(10_000, 0)).toEqual(read);
    expect(registry.resource(10_000, 9)).toMatchObject({ type: 'opaque', operations: '' });
    expect(registry.object(10_001)).toBeUndefined();
  });

  it.each(['', 'A float R', '0 A double R', '0 A float X', '0 float R'])('refuses the line "%s"', (table) => {
    expect(() => objectModel(1, 'Broken', table)).toThrow(/is no resource/);
  });
});

describe('Firmware Update', () => {
  it('names each state and result by its number', () => {
    expect(firmwareStates).toEqual(['idle', 'downloading', 'downloaded', 'updating']);
    expect(firmwareResults).toHaveLength(12);
    expect([
      firmwareResults[0],
      firmwareResults[1],
      firmwareResults[5],
      firmwareResults[9],
      firmwareResults[11],
    ]).toEqual(['initial', 'success', 'integrity check failed', 'unsupported protocol', 'deferred']);
  });
});

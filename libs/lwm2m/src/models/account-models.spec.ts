import { describe, expect, it } from '@jest/globals';
import type { ResourceType } from '../values/value.js';
import { parseLinks } from '../paths/link-format.js';
import { AccountModels } from './account-models.js';
import { objectVersions } from './object-versions.js';

const model = (version: string, type: ResourceType, object = 33_000) => ({
  object,
  name: 'Meter',
  version,
  resources: new Map([[1, { name: 'Reading', type, operations: 'R' as const, multiple: false }]]),
});

const uploaded = (...models: ReturnType<typeof model>[]): AccountModels => {
  const all = new AccountModels();
  for (const one of models) all.put('account', one);
  return all;
};

describe('the model of a device', () => {
  const both = uploaded(model('1.1', 'float'), model('1.0', 'integer'), model('2.0', 'opaque'));

  it.each([
    ['no version: 1.0', undefined, 'integer'],
    ['its version', { 33_000: '1.1' }, 'float'],
    ['another major version', { 33_000: '2.0' }, 'opaque'],
    ['a minor version that was not uploaded: the next lower one', { 33_000: '1.7' }, 'float'],
    ['a major version that was not uploaded', { 33_000: '3.0' }, undefined],
    ['the version of another object', { 33_001: '1.1' }, 'integer'],
  ])('is that of %s', (_, versions, type) => {
    expect(both.registryOf('account', versions).resource(33_000, 1)?.type).toBe(type);
    expect(both.registryOf('stranger', versions).resource(33_000, 1)).toBeUndefined();
  });

  it('is the lowest of the same major version where no lower one was uploaded', () => {
    expect(uploaded(model('1.2', 'float')).registryOf('account').resource(33_000, 1)?.type).toBe('float');
  });

  it('of another major version counts for devices that name none, unless there is a standard model', () => {
    const other = uploaded(model('2.0', 'opaque'), model('2.0', 'opaque', 3_303)).registryOf('account');
    expect(other.resource(33_000, 1)?.type).toBe('opaque');
    expect(other.object(3_303)?.name).toBe('Temperature');
  });

  it('is gone alone when it is dropped', () => {
    const models = uploaded(model('1.0', 'integer'), model('1.1', 'float'));
    models.registryOf('account', { 33_000: '1.1' });
    models.drop('account', 33_000, '1.1');
    expect(models.registryOf('account', { 33_000: '1.1' }).resource(33_000, 1)?.type).toBe('integer');
    models.drop('account', 33_000, '1.0');
    expect(models.registryOf('account').resource(33_000, 1)).toBeUndefined();
  });
});

describe('versions in a link list (LwM2M 1.1 core §6.2.1)', () => {
  it.each([
    ['</3303>;ver="1.1",</3303/0>,</33000>;ver=2.0', { 3303: '1.1', 33_000: '2.0' }],
    ['</>;rt="oma.lwm2m";ct=110,</lwm2m/3>;ver=x', undefined],
    ['</3303>;ver,</3303/0>', undefined],
    ['</3303/0>', undefined],
  ])('%s', (text, versions) => {
    expect(objectVersions(parseLinks(text).links)).toEqual(versions);
  });
});

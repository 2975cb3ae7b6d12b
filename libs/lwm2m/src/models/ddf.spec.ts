import { describe, expect, it } from '@jest/globals';
import { Malformed } from '../errors.js';
import { AccountModels } from './account-models.js';
import { definitionLengthMax, parseDefinition } from './ddf.js';
import { cpuMs } from '../../test/cpu-time.js';

const item = (id: string, type: string, operations = 'R', multiple = 'Single', units = ''): string =>
  `<Item ID="${id}"><Name>Thing ${id}</Name><Operations>${operations}</Operations>
   <MultipleInstances>${multiple}</MultipleInstances><Mandatory>Optional</Mandatory><Type>${type}</Type>
   <RangeEnumeration></RangeEnumeration><Units>${units}</Units><Description><![CDATA[a < b & c]]></Description></Item>`;

const definition = (items: string, more = '<ObjectVersion>1.1</ObjectVersion>', id = '33000'): string =>
  `\uFEFF<?xml version="1.0" encoding="utf-8"?><!-- vendor's > -->
   <LWM2M xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation='LWM2M.xsd'>
   <Object ObjectType="MODefinition"><Name>Vendor &amp; Co &#x2600;</Name><ObjectID>${id}</ObjectID>${more}
   <Resources>${items}</Resources></Object></LWM2M>`;

describe('parseDefinition', () => {
  it('reads an object with its resources', () => {
    const read = parseDefinition(
      definition(
        item('0', 'Integer') +
          item('1', 'Unsigned Integer', 'RW', 'Multiple') +
          item('2', '', 'E') +
          item('3', 'Opaque', 'W'),
      ),
    );
    expect(read).toMatchObject({ object: 33_000, name: 'Vendor & Co ☀', version: '1.1' });
    expect([...read.resources]).toEqual([
      [0, { name: 'Thing 0', type: 'integer', operations: 'R', multiple: false }],
      [1, { name: 'Thing 1', type: 'unsigned', operations: 'RW', multiple: true }],
      [2, { name: 'Thing 2', type: 'none', operations: 'E', multiple: false }],
      [3, { name: 'Thing 3', type: 'opaque', operations: 'W', multiple: false }],
    ]);
  });

  it('reads units, and takes prose for none', () => {
    const units = [
      item('0', 'Float', 'R', 'Single', 'Cel'),
      item('1', 'Float', 'R', 'Single', 'Defined by another one'),
    ];
    const { resources } = parseDefinition(definition(units.join('')));
    expect([resources.get(0)?.unit, resources.get(1)?.unit]).toEqual(['Cel', undefined]);
  });

  it('without a version it is 1.0', () => {
    expect(parseDefinition(definition('', ''))).toMatchObject({ version: '1.0' });
  });

  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['another document', '<html></html>'],
    ['a cut off one', definition('').slice(0, -3)],
    ['an unknown type', definition(item('0', 'Complex'))],
    ['unknown operations', definition(item('0', 'Integer', 'RX'))],
    ['an id that is too large', definition(item('65535', 'Integer'))],
    ['an object id that is none', definition('', '', '-1')],
    ['the same resource twice', definition(item('0', 'Integer') + item('0', 'Float'))],
    ['a document type', `<!DOCTYPE x [<!ENTITY a "aaaa">]>${definition('')}`],
    ['an unknown entity', definition(item('0', 'Integer')).replace('Thing 0', '&a;')],
    ['a bare ampersand', definition(item('0', 'Integer')).replace('Thing 0', 'a & b')],
    ['a NUL', definition(item('0', 'Integer')).replace('Thing 0', 'a\0')],
    ['a control character', definition(item('0', 'Integer')).replace('Thing 0', 'a\u0001')],
    ['a reference to a NUL', definition(item('0', 'Integer')).replace('Thing 0', 'a&#0;')],
    ['a reference to half of a surrogate pair', definition(item('0', 'Integer')).replace('Thing 0', 'a&#xD800;')],
    ['deep nesting', '<a>'.repeat(10_000)],
    ['many elements', `<a>${'<b/>'.repeat(100_000)}</a>`],
    ['crossed tags', '<a><b></a></b>'],
    ['two documents', '<a/><b/>'],
    ['what is too long', ' '.repeat(definitionLengthMax + 1)],
  ])('refuses %s', (_, xml) => {
    expect(() => parseDefinition(xml)).toThrow(Malformed);
  });

  it('refuses hostile text in linear time', () => {
    const startedMs = cpuMs();
    for (const text of [
      '<a '.padEnd(250_000, 'a=" '),
      `<a${' '.repeat(250_000)}`,
      '&'.repeat(250_000),
      '<'.repeat(250_000),
    ])
      expect(() => parseDefinition(text)).toThrow(Malformed);
    expect(() => parseDefinition(`<a${' b="c"'.repeat(40_000)}=>`)).toThrow(Malformed);
    expect(cpuMs() - startedMs).toBeLessThan(2_000);
  });
});

describe('AccountModels', () => {
  it('the models of an account take precedence over the built-in ones', () => {
    const models = new AccountModels();
    models.put('a', parseDefinition(definition(item('0', 'Float'))));
    expect(models.registryOf('a').resource(33_000, 0)?.type).toBe('float');
    expect(models.registryOf('a').resource(3303, 5700)?.type).toBe('float');
    expect(models.registryOf('b').resource(33_000, 0)).toBeUndefined();
    models.put('a', parseDefinition(definition(item('0', 'Integer'))));
    expect(models.registryOf('a').resource(33_000, 0)?.type).toBe('integer');
    models.drop('a', 33_000, parseDefinition(definition(item('0', 'Integer'))).version);
    expect(models.registryOf('a').resource(33_000, 0)).toBeUndefined();
  });
});

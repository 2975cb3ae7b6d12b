import { describe, expect, it } from '@jest/globals';
import { answerText, faultOf, fieldLabel, instancesOf, isNumeric, type Resource, textOf } from './values.ts';

const resource = (path: string, more: Partial<Resource> = {}): Resource => ({
  resource_path: path,
  subscribed: false,
  ...more,
});

describe('values of resources', () => {
  it('are shown decoded where their type is known, and counted where it is not', () => {
    expect(textOf(undefined, {})).toBeUndefined();
    expect(textOf({ value: btoa('21.5'), decoded: 21.5 }, {})).toBe('21.5');
    expect(textOf({ value: btoa('x'), decoded: false }, {})).toBe('false');
    expect(textOf({ value: btoa('x'), decoded: { 0: 'a', 1: 'b' } }, {})).toBe('{"0":"a","1":"b"}');
    expect(textOf({ value: btoa('1234') }, {})).toBe('4 bytes');
    expect(textOf({ value: btoa('21.5'), decoded: 21.5 }, { unit: 'Cel' })).toBe('21.5 °C');
    expect(textOf({ value: btoa('on'), decoded: 'on' }, { unit: 'Cel' })).toBe('on');
  });

  it.each([
    [Math.fround(21.6), '21.6'],
    [Math.fround(-0.1), '-0.1'],
    [Math.fround(52.520008), '52.520008'],
    [21.6, '21.6'],
    [52.5200081234567, '52.5200081234567'],
    [2 ** 40, '1099511627776'],
    [0.5, '0.5'],
  ])('are numbers as the device wrote them, also of 32 bits: %d', (decoded, text) =>
    expect(textOf({ value: '', decoded }, { type: 'float' })).toBe(text),
  );

  it('are times as people read them', () => {
    const decoded = Date.parse('2025-10-09T12:00:00Z') / 1_000;
    expect(textOf({ value: '', decoded }, { type: 'time' })).toContain('2025');
    expect(textOf({ value: '', decoded: 1e15 }, { type: 'time' })).toBe('1000000000000000');
  });

  it('are text in an answer if they were sent as text', () => {
    const bytes = new TextEncoder().encode('21.5');
    expect(answerText(bytes, 'text/plain')).toBe('21.5');
    expect(answerText(bytes, undefined)).toBe('21.5');
    expect(answerText(bytes, 'application/senml+json')).toBe('21.5');
    expect(answerText(bytes, 'application/vnd.oma.lwm2m+tlv')).toBe('4 bytes of application/vnd.oma.lwm2m+tlv');
    expect(answerText(new Uint8Array(), 'application/vnd.oma.lwm2m+tlv')).toBe('');
  });

  it.each([
    [{}, 'Value'],
    [{ type: 'float', unit: 'Cel' }, 'Value (float, °C)'],
    [{ type: 'string' }, 'Value (string)'],
    [{ type: 'none' }, 'Value'],
    [{ type: 'opaque' }, 'Value (opaque, in base64)'],
    [{ type: 'time' }, 'Value (time, in seconds since 1970)'],
  ])('are written in a field that says how: %j', (resource, label) => expect(fieldLabel(resource)).toBe(label));

  it('are grouped by instance, by number', () => {
    const paths = ['/3303/10/5700', '/3303/2/5700', '/3/0/13', '/3/0/9', '/3/0/9/0'];
    expect(
      instancesOf(paths.map((path) => resource(path))).map(({ path, resources }) => [
        path,
        resources.map(({ resource_path: of }) => of),
      ]),
    ).toEqual([
      ['/3/0', ['/3/0/9', '/3/0/9/0', '/3/0/13']],
      ['/3303/2', ['/3303/2/5700']],
      ['/3303/10', ['/3303/10/5700']],
    ]);
  });

  it('are numeric by their type, or by their value', () => {
    const reported = { value: '', decoded: 1, content_type: 'text/plain', reported_at: '', expires_at: '' };
    expect(isNumeric(resource('/1/0/1', { type: 'float' }))).toBe(true);
    expect(isNumeric(resource('/1/0/1', { type: 'string' }))).toBe(false);
    expect(isNumeric(resource('/1/0/1', { reported }))).toBe(true);
    expect(isNumeric(resource('/3/0/13', { reported, type: 'time' }))).toBe(false);
  });

  it.each([
    ['float', '21.5', undefined],
    ['float', 'warm', 'Enter a number.'],
    ['float', '', 'Enter a number.'],
    ['float', '-1.5e-3', undefined],
    ['float', '0x10', 'Enter a number.'],
    ['float', ' 1', 'Enter a number.'],
    ['integer', '-4', undefined],
    ['integer', '4.5', 'Enter a whole number.'],
    ['unsigned', '-4', 'Enter a whole number that is not negative.'],
    ['boolean', 'true', 'Enter 1 for true or 0 for false.'],
    ['opaque', 'AQI=', undefined],
    ['opaque', 'AQI', undefined],
    ['opaque', 'A', 'Enter the bytes in base64.'],
    ['opaque', 'A-_A', 'Enter the bytes in base64.'],
    ['objlnk', '3303:0', undefined],
    ['objlnk', '3303', 'Enter an object and an instance, for example 3303:0.'],
    ['string', 'anything', undefined],
    [undefined, 'anything', undefined],
  ])('of type %s: %s', (type, text, fault) => expect(faultOf(type, text)).toBe(fault));
});

import { describe, expect, it } from '@jest/globals';
import { faultOf, instancesOf, isNumeric, type Resource, textOf } from './values.ts';

const resource = (path: string, more: Partial<Resource> = {}): Resource => ({
  resource_path: path,
  subscribed: false,
  ...more,
});

describe('values of resources', () => {
  it('are shown decoded where their type is known, and counted where it is not', () => {
    expect(textOf(undefined)).toBeUndefined();
    expect(textOf({ value: btoa('21.5'), decoded: 21.5 })).toBe('21.5');
    expect(textOf({ value: btoa('x'), decoded: false })).toBe('false');
    expect(textOf({ value: btoa('x'), decoded: { 0: 'a', 1: 'b' } })).toBe('{"0":"a","1":"b"}');
    expect(textOf({ value: btoa('1234') })).toBe('4 bytes');
    expect(textOf({ value: btoa('21.5'), decoded: 21.5 }, 'Cel')).toBe('21.5 °C');
    expect(textOf({ value: btoa('on'), decoded: 'on' }, 'Cel')).toBe('on');
  });

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
  });

  it.each([
    ['float', '21.5', undefined],
    ['float', 'warm', 'Enter a number.'],
    ['float', '', 'Enter a number.'],
    ['integer', '-4', undefined],
    ['integer', '4.5', 'Enter a whole number.'],
    ['unsigned', '-4', 'Enter a whole number that is not negative.'],
    ['boolean', 'true', 'Enter 1 for true or 0 for false.'],
    ['string', 'anything', undefined],
    [undefined, 'anything', undefined],
  ])('of type %s: %s', (type, text, fault) => expect(faultOf(type, text)).toBe(fault));
});

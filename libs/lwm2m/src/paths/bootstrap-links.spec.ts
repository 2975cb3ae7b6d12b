import { describe, expect, it } from '@jest/globals';
import { Malformed } from '../errors.js';
import { parseBootstrapLinks } from './bootstrap-links.js';

describe('the answer to a Bootstrap-Discover', () => {
  it.each([
    ['of 1.0', 'lwm2m="1.0",</0/0>,</0/1>;ssid=101,</1/0>;ssid=101,</3/0>,</4>'],
    ['of 1.0 without quotation marks', 'lwm2m=1.0, </0/0>, </0/1>;ssid=101, </1/0>;ssid=101, </3/0>, </4>'],
  ])('%s', (_which, text) => {
    expect(parseBootstrapLinks(text)).toEqual({
      version: '1.0',
      instances: [
        { object: 0, instance: 0 },
        { object: 0, instance: 1, shortServerId: 101 },
        { object: 1, instance: 0, shortServerId: 101 },
        { object: 3, instance: 0 },
      ],
    });
  });

  it('of 1.1 has the version at the root, and URIs of servers', () => {
    const text =
      '</>;lwm2m=1.1,</0/0>;uri="coap://b.example:5783",</0/2>;ssid="7";uri="coaps://s.example",</1/3>;ssid=7';
    expect(parseBootstrapLinks(text)).toEqual({
      version: '1.1',
      instances: [
        { object: 0, instance: 0 },
        { object: 0, instance: 2, shortServerId: 7 },
        { object: 1, instance: 3, shortServerId: 7 },
      ],
    });
  });

  it.each([
    ['nothing', '', '1.0'],
    ['a version alone', 'lwm2m="1.0"', '1.0'],
    ['an empty root', '</>;lwm2m="1.2"', '1.2'],
    ['a version behind other attributes of the root', '</>;rt="oma.lwm2m";ct="60 110";lwm2m=1.1', '1.1'],
    ['a root behind another link', '</4>, <>;lwm2m=1.2', '1.2'],
    ['a version at another root', '</lwm2m>;rt="oma.lwm2m";lwm2m=1.1,</lwm2m/4>', '1.1'],
    ['a version in a text only', '</>;title=";lwm2m=1.1",</4>;lwm2m=1.2', '1.0'],
  ])('of a device that has %s', (_what, text, version) => {
    expect(parseBootstrapLinks(text)).toEqual({ version, instances: [] });
  });

  it('that is no link list is malformed', () => {
    expect(() => parseBootstrapLinks('hello')).toThrow(Malformed);
  });

  it('leaves out short server ids that are no number', () => {
    expect(parseBootstrapLinks('</1/0>;ssid=x,</1/1>;ssid').instances).toEqual([
      { object: 1, instance: 0 },
      { object: 1, instance: 1 },
    ]);
  });
});

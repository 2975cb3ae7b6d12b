import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '../errors/service-error.js';
import { bodyText, refuseUnstorableText, unreadableIn } from './text.js';

const refused = (text: string): string | undefined => {
  try {
    refuseUnstorableText(text, JSON.parse(text));
    return undefined;
  } catch (error) {
    return (error as ValidationFailed).fields[0]?.name;
  }
};

describe('text that cannot be stored', () => {
  it.each([
    ['{"name":"a\\u0000"}', 'name'],
    ['{"a":{"b":["ok","\\ud800"]}}', 'a.b.1'],
    ['{"\\u0000":1}', 'body'],
    ['"\\uDC00"', 'body'],
  ])('%s is refused for %s', (text, field) => expect(refused(text)).toBe(field));

  it.each(['{"name":"\\ud83d\\ude00"}', '{"name":"😀"}', '{"name":"\\\\u0000"}', '{"name":"\\u0001"}'])(
    '%s passes',
    (text) => expect(refused(text)).toBeUndefined(),
  );

  it('a NUL in a URL is refused', () => {
    expect(unreadableIn('/v3/devices/%00')).toBeInstanceOf(ValidationFailed);
    expect(unreadableIn('/v3/devices?name=a%20b')).toBeUndefined();
  });

  it.each(['%ff', '%C3', '%c3%28', '%ED%A0%80'])('%s in a URL is no UTF-8: refused', (code) => {
    expect(unreadableIn(`/v3/devices?name=${code}`)).toBeInstanceOf(ValidationFailed);
  });

  it.each(['%C3%A4', '100%', '%zz%C3%A4', '%F0%9F%98%80'])('%s in a URL passes', (text) => {
    expect(unreadableIn(`/v3/devices?name=${text}`)).toBeUndefined();
  });

  it('a body is UTF-8, with or without a byte order mark', () => {
    expect(bodyText(Buffer.from('\uFEFFä'))).toBe('ä');
    expect(() => bodyText(Buffer.from('ä', 'latin1'))).toThrow(ValidationFailed);
  });
});

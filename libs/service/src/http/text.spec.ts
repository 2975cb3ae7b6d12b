import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '../errors/service-error.js';
import { nulIn, refuseUnstorableText } from './text.js';

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
    expect(nulIn('/v3/devices/%00')).toBeInstanceOf(ValidationFailed);
    expect(nulIn('/v3/devices?name=a%20b')).toBeUndefined();
  });
});

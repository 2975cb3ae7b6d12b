import { describe, expect, it } from '@jest/globals';
import { contentFormat, contentFormatOf, currentFormat, mediaTypeOf } from './content-format.js';

describe('content formats', () => {
  it.each(Object.entries(contentFormat))('%s has a media type that leads back to it', (_name, format) => {
    expect(contentFormatOf(mediaTypeOf(format))).toBe(format);
    expect(currentFormat(format)).toBe(format);
  });

  it.each([
    [99, 11_542],
    [1541, 0],
    [1542, 11_542],
    [1543, 11_543],
    [1544, 42],
  ])('%i from before LwM2M 1.0 is %i', (old, format) => {
    expect(currentFormat(old)).toBe(format);
    expect(mediaTypeOf(old)).toBe(mediaTypeOf(format));
  });

  it('reads media types in any case and with parameters', () => {
    expect(contentFormatOf('Text/Plain; charset=utf-8')).toBe(0);
    expect(contentFormatOf(' application/senml+cbor ')).toBe(112);
    expect([contentFormatOf(''), contentFormatOf('text/html'), contentFormatOf(';')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has bytes for a format it does not know', () => {
    expect(mediaTypeOf(9_999)).toBe('application/octet-stream');
  });
});

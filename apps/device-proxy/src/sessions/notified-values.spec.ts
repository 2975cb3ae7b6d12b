import { describe, expect, it } from '@jest/globals';
import { notifiedBytesMax, notifiedMaxAgeMs, notifiedPathsMax } from './limits.js';
import { NotifiedValues } from './notified-values.js';

const text = 'text/plain';

describe('the values that a device notified', () => {
  it('are there for as long as they are fresh', () => {
    const values = new NotifiedValues();
    values.keep('/3303/0/5700', Buffer.from([0, 0xff]), text, 60, 1_000);
    expect(values.get('/3303/0/5700', 60_999)).toEqual({ contentType: text, bytes: '\0\xff', freshUntilMs: 61_000 });
    expect(values.get('/3303/0/5700', 61_000)).toBeUndefined();
    expect(values.get('/3303/0/5701', 1_000)).toBeUndefined();
  });

  it('count as fresh for three days at most, and with a Max-Age of 0 not at all', () => {
    const values = new NotifiedValues();
    values.keep('/3/0/9', Buffer.from('80'), text, 2 ** 32 - 1, 0);
    expect(values.get('/3/0/9', notifiedMaxAgeMs - 1)?.bytes).toBe('80');
    expect(values.get('/3/0/9', notifiedMaxAgeMs)).toBeUndefined();
    values.keep('/3/0/9', Buffer.from('79'), text, 0, 1);
    expect(values.get('/3/0/9', 1)).toBeUndefined();
  });

  it('are not fresh for longer than their Max-Age when the clock is set back', () => {
    const values = new NotifiedValues();
    values.keep('/3/0/9', Buffer.from('80'), text, 60, 3_600_000);
    expect(values.get('/3/0/9', 3_600_000)?.bytes).toBe('80');
    expect(values.get('/3/0/9', 30_000)).toBeUndefined();
    values.keep('/3/0/9', Buffer.from('79'), text, 60, 30_000);
    expect(values.get('/3/0/9', 30_000)?.bytes).toBe('79');
  });

  it('are not kept when they are large, and then the one before is not either', () => {
    const values = new NotifiedValues();
    values.keep('/3/0/0', Buffer.alloc(notifiedBytesMax), text, 60, 0);
    expect(values.get('/3/0/0', 0)).toBeDefined();
    values.keep('/3/0/0', Buffer.alloc(notifiedBytesMax + 1), text, 60, 0);
    expect(values.get('/3/0/0', 0)).toBeUndefined();
  });

  it('are kept of the latest paths only', () => {
    const values = new NotifiedValues();
    for (let n = 0; n <= notifiedPathsMax; n++) values.keep(`/3/0/${n}`, Buffer.from('x'), text, 60, 0);
    expect(values.get('/3/0/0', 0)).toBeUndefined();
    expect(values.get('/3/0/1', 0)).toBeDefined();
    expect(values.get(`/3/0/${notifiedPathsMax}`, 0)).toBeDefined();
  });

  it('are gone when the device may have changed', () => {
    const values = new NotifiedValues();
    values.keep('/3/0/0', Buffer.from('x'), text, 60, 0);
    values.clear();
    expect(values.get('/3/0/0', 0)).toBeUndefined();
  });
});

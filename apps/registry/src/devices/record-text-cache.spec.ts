import { describe, expect, it } from '@jest/globals';
import { RecordTextCache } from './record-text-cache.js';

describe('kept texts', () => {
  it('are given for their version only', () => {
    const texts = new RecordTextCache();
    texts.put('a', '1', 'first');
    expect([texts.get('a', '1'), texts.get('a', '2'), texts.get('b', '1')]).toEqual(['first', undefined, undefined]);
    texts.put('a', '2', 'second');
    expect([texts.get('a', '1'), texts.get('a', '2')]).toEqual([undefined, 'second']);
  });

  it('take so much memory and no more: what was asked for longest ago goes', () => {
    const texts = new RecordTextCache(10);
    texts.put('a', '1', 'aaaaa');
    texts.put('b', '1', 'bbbb');
    texts.get('a', '1');
    texts.put('c', '1', 'cc');
    expect([texts.get('a', '1'), texts.get('b', '1'), texts.get('c', '1')]).toEqual(['aaaaa', undefined, 'cc']);
    texts.put('a', '2', 'a');
    texts.put('d', '1', 'ddddddd');
    expect([texts.get('a', '2'), texts.get('c', '1'), texts.get('d', '1')]).toEqual(['a', 'cc', 'ddddddd']);
  });
});

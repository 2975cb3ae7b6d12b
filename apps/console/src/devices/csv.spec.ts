import { describe, expect, it } from '@jest/globals';
import { csvRows } from './csv.ts';

describe('csvRows', () => {
  it('reads quoted fields with commas, quotes and line breaks', () => {
    expect(csvRows('row,field,message\n2,name,"Must not be ""x"", or\nblank"\r\n3,,ok\n')).toEqual([
      ['row', 'field', 'message'],
      ['2', 'name', 'Must not be "x", or\nblank'],
      ['3', '', 'ok'],
    ]);
  });

  it('has no row for no text', () => expect(csvRows('')).toEqual([]));
});

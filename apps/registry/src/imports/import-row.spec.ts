import { describe, expect, it } from '@jest/globals';
import { MalformedImport } from '../errors.js';
import { checkHeader, fieldsOf, readRow } from './import-row.js';

const header = ['endpoint_name', 'name', 'custom_attributes', 'custom_attributes__site'];
const attributesOf = (cell: string): Record<string, unknown> => fieldsOf(header, ['e', 'n', cell]);

describe('rows of an import', () => {
  it.each(['\\u0000', '\\\\u0000b', 'C:\\ud800'])('keeps %s as it is: it is text, and no character', (text) => {
    expect(fieldsOf(header, [text, text, '', text])).toEqual({
      endpoint_name: text,
      name: text,
      custom_attributes: { site: text },
    });
  });

  it.each([
    ['name', ['e', 'a\0b']],
    ['custom_attributes', ['e', 'n', '"\\ud800"']],
    ['custom_attributes.a', ['e', 'n', '{"a":"\\ud800"}']],
    ['custom_attributes.a', ['e', 'n', '{"a":"\\u0000"}']],
    ['custom_attributes', ['e', 'n', '{"\\u0000":"a"}']],
    ['custom_attributes.site', ['e', 'n', '', '\0']],
  ])('has a problem with %s in place of what no database stores', (field, cells) => {
    const fields = fieldsOf(header, cells);
    expect(fields['endpoint_name']).toBe('e');
    expect(JSON.stringify(fields)).not.toMatch(/\\u/);
    expect(readRow(fields)).toEqual({ problems: [{ field, message: expect.stringMatching(/NUL/) }] });
  });

  it('names no device whose name cannot be stored', () => {
    const fields = fieldsOf(header, ['a\0', 'n']);
    expect(Object.keys(fields)).toEqual(['…']);
    expect(readRow(fields)).toMatchObject({ problems: [{ field: 'endpoint_name' }] });
  });

  it.each([30_000, 4])('%i levels of lists are no attributes, and not kept as lists', (levels) => {
    const cell = '['.repeat(levels) + ']'.repeat(levels);
    expect(attributesOf(cell)['custom_attributes']).toBe(cell);
    expect(readRow(attributesOf(cell))).toMatchObject({ problems: [{ field: 'custom_attributes' }] });
  });

  it('thousands of attributes have one problem, and not one each', () => {
    const fields = attributesOf(JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [n, 1]))));
    expect(readRow(fields)).toEqual({ problems: [{ field: 'custom_attributes', message: 'At most 5 entries' }] });
  });

  it('of one cell reads one of thousands of columns', () => {
    let reads = 0;
    const columns = Array.from({ length: 3_000 }, (_, n) => `custom_attributes__a${n}`);
    const counted = new Proxy(columns, {
      get: (names, place): unknown => {
        reads++;
        return Reflect.get(names, place);
      },
    });
    expect(fieldsOf(counted, ['x'])).toEqual({ custom_attributes: { a0: 'x' } });
    expect(reads).toBeLessThan(10);
  });

  it.each([{ '…': 5 }, fieldsOf(header, ['e', 'n', '', '', 'surplus'])])('%j has more cells than columns', (fields) => {
    expect(readRow(fields)).toEqual({ problems: [{ field: 'row', message: 'More cells than columns' }] });
  });

  it('a header in the middle of a table is no device', () => {
    const fields = fieldsOf(header, header);
    expect(readRow(fields)).toEqual({ problems: [{ field: 'row', message: 'The header is repeated' }] });
  });

  it.each([
    ['TRUE', true],
    ['False', false],
  ])('auto_update is %s, as spreadsheets write it', (text, auto_update) => {
    expect(readRow(fieldsOf(['name', 'auto_update'], ['n', text]))).toEqual({ device: { name: 'n', auto_update } });
  });

  it.each([
    ['coap_ack_timeout_ms', '4000ms'],
    ['coap_ack_timeout_ms', '4,000'],
    ['coap_block_bytes', 'big'],
    ['dtls_handshake_timer_ms', '9 s'],
    ['device_execution_mode', ' '],
    ['device_execution_mode', '1e1'],
  ])('%s is no number when it is "%s"', (field, cell) => {
    // As the rows are stored in between.
    const stored = JSON.parse(JSON.stringify(fieldsOf(['name', field], ['n', cell]))) as Record<string, unknown>;
    expect(readRow(stored)).toMatchObject({ problems: [{ field }] });
  });

  it('a number may be written as a spreadsheet does, with spaces', () => {
    const fields = fieldsOf(['name', 'device_execution_mode'], ['n', ' 5 ']);
    expect(readRow(fields)).toEqual({ device: { name: 'n', device_execution_mode: 5 } });
  });

  it('an attribute that is an object is named', () => {
    expect(readRow(attributesOf('{"a":{"b":"c"}}'))).toMatchObject({ problems: [{ field: 'custom_attributes.a' }] });
  });

  it('an attribute that the body of no request may have is refused', () => {
    expect(() => checkHeader(['name', 'custom_attributes____proto__'])).toThrow(MalformedImport);
    expect(readRow(attributesOf('{"__proto__":"x"}'))).toMatchObject({ problems: [{ field: 'custom_attributes' }] });
  });

  it('a column that cannot be stored is none', () => {
    expect(() => checkHeader(['name', 'custom_attributes__a\0'])).toThrow(MalformedImport);
  });
});

import { describe, expect, it } from '@jest/globals';
import { maskTickets } from './masked-tickets.js';

const ticket = '0123456789abcdef0123456789abcdef';
const stars = '*'.repeat(32);
const masked = (text: string): string => maskTickets(Buffer.from(text)).toString();

describe('maskTickets', () => {
  it.each([
    [`coaps://host:5684/downloads/t-${ticket}`, `coaps://host:5684/downloads/t-${stars}`],
    [`[{"n":"/5/0/1","vs":"http://h/downloads/t-${ticket}"},{"n":"/9/0/3","vs":"x"}]`, undefined],
    [`[{"n":"/5/0/1","vs":"coap:\\/\\/h\\/downloads\\/t-${ticket}"}]`, undefined],
    [`/downloads/downloads/t-${ticket}`, undefined],
    [`/downloads/t-${ticket} /downloads/t-${ticket}`, `/downloads/t-${stars} /downloads/t-${stars}`],
    [`https://files.example/downloads/${ticket}/release/firmware.bin`, undefined],
    ['/downloads/t-', undefined],
    [`cut off at the end of a block ........................ /downloads/t-0123`, undefined],
  ])('%s', (text, expected) => {
    const result = masked(text);
    expect(result).toBe(expected ?? text.replaceAll(`t-${ticket}`, `t-${stars}`).replace('t-0123', 't-****'));
    expect(result).toHaveLength(text.length);
  });

  it('leaves the payload itself as it is: it may be sent again', () => {
    const payload = Buffer.from(`/downloads/t-${ticket}`);
    expect(maskTickets(payload)).not.toBe(payload);
    expect(payload.toString()).toBe(`/downloads/t-${ticket}`);
  });

  it('copies nothing where there is no ticket', () => {
    const payload = Buffer.alloc(1_000, 'x');
    expect(maskTickets(payload)).toBe(payload);
  });
});

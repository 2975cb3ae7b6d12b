import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { stalledMs, UnreadResponses, unreadBytesMax } from './unread-responses.js';

const newResponse = (): ServerResponse => {
  const socket = new Socket();
  const response = new ServerResponse(new IncomingMessage(socket));
  response.assignSocket(socket);
  return response;
};

describe('the unread responses of a caller', () => {
  it('are bounded together, beside those of others; the first one may have any size', () => {
    const unread = new UnreadResponses();
    expect(unread.refusal('a', unreadBytesMax + 1)).toBeUndefined();
    unread.count('a', unreadBytesMax - 20_000, newResponse());
    expect([unread.refusal('a'), unread.refusal('a', 20_000), unread.refusal('b', 20_001)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(unread.refusal('a', 20_001)).toMatchObject({ status: 429 });
  });

  it('count until they are over, and small ones not at all', () => {
    const unread = new UnreadResponses();
    const [first, second] = [newResponse(), newResponse()];
    for (const one of [first, second]) unread.count('a', unreadBytesMax, one);
    unread.count('b', 16_383, newResponse());
    expect([unread.refusal('a'), unread.refusal('b', unreadBytesMax)]).toMatchObject([{ status: 429 }, undefined]);
    first.emit('close');
    expect([unread.refusal('a'), unread.refusal('a', 1)]).toMatchObject([undefined, { status: 429 }]);
    second.emit('close');
    expect(unread.refusal('a', unreadBytesMax + 1)).toBeUndefined();
  });

  it('that are over already do not count, and a client that reads nothing is disconnected', () => {
    const unread = new UnreadResponses();
    unread.count('a', unreadBytesMax, newResponse().destroy());
    expect(unread.refusal('a', 1)).toBeUndefined();
    const stalled = newResponse();
    unread.count('a', unreadBytesMax, stalled);
    expect(stalled.socket?.timeout).toBe(stalledMs);
    stalled.socket?.destroy();
  });
});

import { describe, expect, it } from '@jest/globals';
import { NotificationMessage } from '../messages/notification-message.js';
import { BodyBudget } from '../queue/body-budget.js';
import { BodyBuffers } from './body-buffers.js';

const message = (event: string, count: number): NotificationMessage =>
  new NotificationMessage(
    'notifications',
    Array.from({ length: count }, () => Buffer.from(event)),
  );

describe('body buffers', () => {
  it('a message is whole, however large', () => {
    const buffers = new BodyBuffers(new BodyBudget());
    for (const count of [1, 2, 5_000]) {
      const { bytes } = buffers.bodyOf(message('{"ep":"ä"}', count));
      expect(JSON.parse(bytes.toString())).toEqual({
        notifications: Array.from({ length: count }, () => ({ ep: 'ä' })),
      });
    }
  });

  it('a buffer is used again when its bytes have left, and not before', () => {
    const buffers = new BodyBuffers(new BodyBudget());
    const [first, second] = [buffers.bodyOf(message('{"n":1}', 9_000)), buffers.bodyOf(message('{"n":2}', 9_000))];
    expect(second.bytes.buffer).not.toBe(first.bytes.buffer);
    first.done(true);
    first.done(true);
    const [third, fourth] = [buffers.bodyOf(message('{"n":3}', 8_500)), buffers.bodyOf(message('{"n":4}', 9_000))];
    expect(third.bytes.buffer).toBe(first.bytes.buffer);
    expect(fourth.bytes.buffer).not.toBe(first.bytes.buffer);
    expect(JSON.parse(third.bytes.toString()).notifications).toHaveLength(8_500);
    expect(JSON.parse(second.bytes.toString()).notifications[0]).toEqual({ n: 2 });
  });
});

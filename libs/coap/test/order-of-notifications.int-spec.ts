import { afterEach, describe, expect, it } from '@jest/globals';
import { type NotificationHandler } from '../src/index.js';
import { held, Loopback, type Options, until } from './bench-of-endpoints.js';
import { numbers, observing } from './observing.js';

const net = new Loopback();
afterEach(() => net.close());

const observed = (handler?: NotificationHandler, options?: Options) => observing(net, handler, options);

/** Nothing can be stored until it ends. */
const outage = () => {
  let isAway = true;
  const handler = async (): Promise<void> => {
    if (isAway) throw new Error('Kafka is away');
  };
  return { handler, end: () => void (isAway = false) };
};

describe('notifications of one observation (RFC 7641 §3.4)', () => {
  it('does not acknowledge when the handler rejects, and takes the retransmission', async () => {
    const kafka = outage();
    const { raw, heard, notification, endpoint } = await observed(kafka.handler);
    raw.send(notification(11, 50));
    await raw.heardNothing();
    kafka.end();
    expect(await raw.ask(notification(11, 50))).toMatchObject({ type: 'ACK', messageId: 50 });
    expect(await raw.ask(notification(12, 51))).toMatchObject({ type: 'ACK', messageId: 51 });
    expect(numbers(heard)).toEqual([11, 11, 12]);
    expect(endpoint.counters()).toMatchObject({ 'notification-rejected': 1, 'notification-accepted': 2 });
  });

  it('takes no retransmission of a rejected one when a newer one was accepted meanwhile', async () => {
    const kafka = outage();
    const { raw, heard, notification, endpoint } = await observed(kafka.handler);
    raw.send(notification(11, 50));
    await raw.heardNothing();
    kafka.end();
    expect(await raw.ask(notification(12, 51))).toMatchObject({ type: 'ACK', messageId: 51 });
    expect(await raw.ask(notification(11, 50))).toMatchObject({ type: 'ACK', messageId: 50 });
    expect(numbers(heard)).toEqual([11, 12]);
    expect(endpoint.counters()).toMatchObject({ 'notification-rejected': 1, 'notification-stale': 1 });
  });

  it('takes a rejected one in a new message with the same number', async () => {
    const kafka = outage();
    const { raw, heard, notification } = await observed(kafka.handler);
    raw.send(notification(11, 50));
    await raw.heardNothing();
    kafka.end();
    expect(await raw.ask(notification(11, 51))).toMatchObject({ type: 'ACK', messageId: 51 });
    expect(numbers(heard)).toEqual([11, 11]);
  });

  it.each([
    ['the same number', 12, true, [12]],
    ['an older one', 11, true, [12]],
    ['an older one, when the newer one fails', 11, false, [12, 11]],
  ])('acknowledges nothing with %s while a notification is handled', async (_name, number, safe, expected) => {
    const gate = held();
    const { raw, heard, notification } = await observed(({ observe }) => {
      return heard.length === 1 && observe === 12 ? gate.promise : Promise.resolve();
    });
    raw.send(notification(12, 50));
    raw.send(notification(number, 51));
    await raw.heardNothing();
    expect(numbers(heard)).toEqual([12]);
    if (safe) gate.resolve();
    else gate.reject(new Error('Kafka is away'));
    const acknowledged = [...(safe ? [50] : []), 51];
    for (const messageId of acknowledged) expect(await raw.next()).toMatchObject({ type: 'ACK', messageId });
    expect(numbers(heard)).toEqual(expected);
  });

  it('acknowledges stale notifications and drops them', async () => {
    const { raw, heard, notification, endpoint, clock } = await observed();
    await raw.ask(notification(13, 50));
    expect(await raw.ask(notification(12, 51))).toMatchObject({ type: 'ACK', messageId: 51 });
    expect(await raw.ask(notification(13, 52))).toMatchObject({ type: 'ACK', messageId: 52 });
    expect(numbers(heard)).toEqual([13]);
    expect(endpoint.counters()['notification-stale']).toBe(2);
    clock.advance(128_100);
    await raw.ask(notification(2, 53));
    expect(numbers(heard)).toEqual([13, 2]);
  });

  it('takes another value with the same number, and the same value once', async () => {
    const { raw, heard, notification } = await observed();
    await raw.ask(notification(11, 50));
    const other = { payload: Buffer.from('another') };
    expect(await raw.ask(notification(11, 51, other))).toMatchObject({ type: 'ACK', messageId: 51 });
    expect(await raw.ask(notification(11, 52, other))).toMatchObject({ type: 'ACK', messageId: 52 });
    expect(heard.map(({ payload }) => payload.toString())).toEqual(['value 11', 'another']);
  });

  it('takes another value with the message id of one that is being handled, or was', async () => {
    const gate = held();
    const { raw, heard, notification, endpoint, clock } = await observed(() => gate.promise);
    const reused = (number: number) => notification(number, 50, { type: 'NON' });
    for (const number of [11, 12, 11, 12]) raw.send(reused(number));
    await raw.heardNothing();
    expect(numbers(heard)).toEqual([11, 12]);
    gate.resolve();
    await until(() => endpoint.counters()['notification-accepted'] === 2);
    for (const number of [13, 12, 13]) raw.send(reused(number));
    await until(() => endpoint.counters()['notification-accepted'] === 3);
    expect(numbers(heard)).toEqual([11, 12, 13]);
    expect(endpoint.counters()['notification-duplicate']).toBe(2);
    expect(endpoint.counters()['response-duplicate']).toBe(2);
    // RFC 7252 §4.8.2: a non-confirmable one may have the same id after NON_LIFETIME.
    clock.advance(145_100);
    raw.send({ ...reused(14), payload: Buffer.from('value 13') });
    await until(() => heard.length === 4);
  });

  it('takes a non-confirmable one again when the handler rejects, unless a newer one has come', async () => {
    const kafka = outage();
    const { raw, heard, notification, clock, endpoint } = await observed(kafka.handler);
    raw.send(notification(11, 50, { type: 'NON' }));
    await raw.heardNothing();
    clock.advance(1_100);
    await until(() => heard.length === 2);
    raw.send(notification(12, 51, { type: 'NON' }));
    await raw.heardNothing();
    kafka.end();
    clock.advance(1_100);
    await until(() => heard.length === 4);
    clock.advance(1_100);
    await until(() => endpoint.counters()['notification-stale'] === 1);
    expect(numbers(heard)).toEqual([11, 11, 12, 12]);
    expect(endpoint.gauges().notificationHandlersRunning).toBe(0);
  });
});

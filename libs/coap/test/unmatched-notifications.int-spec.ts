import { afterEach, describe, expect, it } from '@jest/globals';
import { type CoapNotification, Code, type UnmatchedNotification } from '../src/index.js';
import { held, Loopback, peerAt, until } from './bench-of-endpoints.js';
import { numbers, observeOption } from './observing.js';
import { option } from './raw-peer.js';

const net = new Loopback();
afterEach(() => net.close());

/** An application that restores the observation of each notification. */
const restoring = async () => {
  const heard: CoapNotification[] = [];
  const { endpoint, port } = await net.endpoint({
    onNotification: async ({ peer, token }) => {
      endpoint.restoreObservation(peer, token, async (one) => void heard.push(one));
      return 'restored';
    },
  });
  return { endpoint, raw: await net.raw(port), heard };
};

describe('a notification that matches nothing', () => {
  const unknown = { code: Code.Content, messageId: 5, token: Buffer.from('unknown!'), options: [observeOption(3)] };

  it.each([
    ['accepted', 'ACK'],
    ['rejected', 'RST'],
  ] as const)('is %s by the application', async (verdict, type) => {
    const heard: UnmatchedNotification[] = [];
    const { port } = await net.endpoint({
      onNotification: async (one) => {
        heard.push(one);
        return verdict;
      },
    });
    const raw = await net.raw(port);
    expect(await raw.ask(unknown)).toMatchObject({ type, messageId: 5 });
    expect(await raw.ask(unknown)).toMatchObject({ type, messageId: 5 });
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ token: unknown.token, observe: 3, confirmable: true, partial: false });
  });

  const unusable = { ...unknown, options: [observeOption(3), option(9, '')], payload: Buffer.from('unusable') };

  it.each(['accepted', 'rejected'] as const)(
    'gets a Reset when it has an unknown critical option, also when it is %s, and nothing of it is used',
    async (verdict) => {
      const heard: UnmatchedNotification[] = [];
      const { endpoint, port } = await net.endpoint({
        onNotification: async (one) => {
          heard.push(one);
          return verdict;
        },
      });
      const raw = await net.raw(port);
      expect(await raw.ask(unusable)).toMatchObject({ type: 'RST', messageId: 5 });
      expect(await raw.ask(unusable)).toMatchObject({ type: 'RST', messageId: 5 });
      expect(heard).toMatchObject([{ token: unknown.token, code: Code.BadOption, payload: Buffer.alloc(0) }]);
      expect(endpoint.counters()).toMatchObject({ 'response-rejected-option': 1, 'notification-accepted': 0 });
    },
  );

  it('with an unknown critical option is the last one of an observation that the application restores', async () => {
    const { endpoint, raw, heard } = await restoring();
    expect(await raw.ask(unusable)).toMatchObject({ type: 'RST', messageId: 5 });
    expect(heard).toMatchObject([{ code: Code.BadOption, payload: Buffer.alloc(0), ended: true }]);
    expect(endpoint.gauges().observations).toBe(0);
  });

  it('makes its token known: those behind it have an order', async () => {
    const gate = held<'accepted'>();
    const heard: CoapNotification[] = [];
    const { endpoint, port, ...rest } = await net.endpoint({ onNotification: () => gate.promise });
    const raw = await net.raw(port);
    const numbered = (number: number, messageId: number) => ({
      ...unknown,
      messageId,
      options: [observeOption(number)],
    });
    raw.send(numbered(13, 70));
    await raw.heardNothing();
    endpoint.restoreObservation(peerAt({ endpoint, port, ...rest }, raw.port), unknown.token, async (one) => {
      heard.push(one);
    });
    raw.send(numbered(12, 71));
    raw.send(numbered(14, 72));
    await raw.heardNothing();
    gate.resolve('accepted');
    const answers = [await raw.next(), await raw.next(), await raw.next()];
    expect(answers.map(({ type, messageId }) => [type, messageId])).toEqual([
      ['ACK', 70],
      ['ACK', 71],
      ['ACK', 72],
    ]);
    expect(numbers(heard)).toEqual([14]);
  });

  it('is taken as one of an observation that the application restores', async () => {
    const { endpoint, raw, heard } = await restoring();
    expect(await raw.ask(unknown)).toMatchObject({ type: 'ACK', messageId: 5 });
    expect(await raw.ask(unknown)).toMatchObject({ type: 'ACK', messageId: 5 });
    expect(numbers(heard)).toEqual([3]);
    expect(endpoint.gauges().notificationHandlersRunning).toBe(0);
  });

  it('stays unanswered while the application decides, and when it fails', async () => {
    const gate = held<'accepted'>();
    let calls = 0;
    const { port } = await net.endpoint({
      onNotification: () => {
        calls += 1;
        return calls === 1 ? gate.promise : Promise.resolve('accepted');
      },
    });
    const raw = await net.raw(port);
    raw.send(unknown);
    raw.send(unknown);
    await raw.heardNothing();
    expect(calls).toBe(1);
    gate.reject(new Error('not now'));
    await until(() => calls === 1);
    await raw.heardNothing();
    expect(await raw.ask(unknown)).toMatchObject({ type: 'ACK' });
  });
});

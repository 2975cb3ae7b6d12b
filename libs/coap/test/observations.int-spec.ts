import { afterEach, describe, expect, it } from '@jest/globals';
import { type CoapNotification, Code, EndpointClosed, type NotificationHandler, PeerForgotten } from '../src/index.js';
import { held, Loopback, type Options, peerAt, type Subject } from './bench-of-endpoints.js';
import { answerTo, get, numbers, observeOption, observing } from './observing.js';
import { option, optionOf, type RawPeer } from './raw-peer.js';

const net = new Loopback();
afterEach(() => net.close());

const observed = (handler?: NotificationHandler, options?: Options) => observing(net, handler, options);

describe('an observation', () => {
  it('is registered with Observe 0, and its notifications are acknowledged once handled', async () => {
    const { raw, request, observation, heard, notification, peer } = await observed();
    expect(optionOf(request, 6)).toEqual(Buffer.alloc(0));
    expect(observation).toMatchObject({ observing: true, token: request.token });
    expect(observation.response).toMatchObject({ payload: Buffer.from('first'), observe: 10 });
    const options = [observeOption(11), option(12, [0]), option(14, [9])];
    expect(await raw.ask(notification(11, 50, { options }))).toMatchObject({ type: 'ACK', code: 0, messageId: 50 });
    expect(heard).toEqual([
      {
        peer,
        token: request.token,
        tokenKey: request.token.toString('hex'),
        code: Code.Content,
        observe: 11,
        payload: Buffer.from('value 11'),
        contentFormat: 0,
        maxAgeSeconds: 9,
        confirmable: true,
        ended: false,
        partial: false,
      },
    ]);
  });

  it.each([
    ['an answer without Observe', [], Code.Content],
    ['a refusal', [observeOption(1)], Code.NotFound],
  ])('does not exist after %s', async (_name, options, code) => {
    const { endpoint, port, ...subject } = await net.endpoint();
    const raw = await net.raw(port);
    const registering = endpoint.observe(peerAt({ endpoint, port, ...subject }, raw.port), get, async () => undefined);
    const request = await raw.next();
    raw.send(answerTo(request, options, code));
    expect(await registering).toMatchObject({ observing: false, response: { code } });
    expect(await raw.ask({ code: Code.Content, messageId: 3, token: request.token })).toMatchObject({ type: 'RST' });
    expect(endpoint.gauges().observations).toBe(0);
  });

  it('hears a notification that comes right behind the answer', async () => {
    const { endpoint, port, ...subject } = await net.endpoint();
    const raw = await net.raw(port);
    const heard: CoapNotification[] = [];
    const registering = endpoint.observe(peerAt({ endpoint, port, ...subject }, raw.port), get, async (one) => {
      heard.push(one);
    });
    const request = await raw.next();
    raw.send(answerTo(request, [observeOption(1)]));
    raw.send({ code: Code.Content, messageId: 3, token: request.token, options: [observeOption(2)] });
    await registering;
    expect(await raw.next()).toMatchObject({ type: 'ACK', messageId: 3 });
    expect(numbers(heard)).toEqual([2]);
  });

  it('acknowledges only after the handler resolved, dropping duplicates meanwhile', async () => {
    const gate = held();
    const { raw, heard, notification, endpoint } = await observed(() => gate.promise);
    raw.send(notification(11, 50));
    raw.send(notification(11, 50));
    await raw.heardNothing();
    expect(endpoint.gauges().notificationHandlersRunning).toBe(1);
    gate.resolve();
    expect(await raw.next()).toMatchObject({ type: 'ACK', messageId: 50 });
    expect(await raw.ask(notification(11, 50))).toMatchObject({ type: 'ACK', messageId: 50 });
    expect(numbers(heard)).toEqual([11]);
    expect(endpoint.counters()).toMatchObject({ 'notification-duplicate': 1, 'response-duplicate': 1 });
  });

  it('takes non-confirmable notifications without a word', async () => {
    const { raw, heard, notification } = await observed();
    raw.send(notification(11, 50, { type: 'NON' }));
    raw.send(notification(11, 50, { type: 'NON' }));
    await raw.heardNothing();
    expect(numbers(heard)).toEqual([11]);
  });

  it.each([
    ['an error', { code: Code.NotFound, options: [] }],
    ['a success without Observe', { options: [] }],
  ])('ends with %s', async (_name, over) => {
    const { raw, heard, notification, endpoint } = await observed();
    expect(await raw.ask(notification(11, 50, over))).toMatchObject({ type: 'ACK', messageId: 50 });
    expect(heard[0]).toMatchObject({ ended: true });
    expect(endpoint.gauges().observations).toBe(0);
    expect(await raw.ask(notification(12, 51))).toMatchObject({ type: 'RST', messageId: 51 });
  });

  it('ends passively: the next notification is reset', async () => {
    const { raw, heard, notification, observation } = await observed();
    observation.cancel();
    expect(await raw.ask(notification(11, 50))).toMatchObject({ type: 'RST', messageId: 50 });
    expect(await raw.ask(notification(11, 50))).toMatchObject({ type: 'RST', messageId: 50 });
    expect(heard).toHaveLength(0);
  });

  it('ends actively, and still hears notifications until the answer', async () => {
    const { raw, heard, notification, endpoint, peer, request } = await observed();
    const cancelling = endpoint.cancelObservation(peer, request.token, get);
    const cancel = await raw.next();
    expect([optionOf(cancel, 6), cancel.token]).toEqual([Buffer.from([1]), request.token]);
    await raw.ask(notification(11, 50));
    raw.send(answerTo(cancel));
    expect((await cancelling).payload.toString()).toBe('first');
    expect(numbers(heard)).toEqual([11]);
    expect(await raw.ask(notification(12, 51))).toMatchObject({ type: 'RST' });
  });

  it('is forgotten when the device does not answer its end', async () => {
    const { raw, notification, endpoint, peer, request, clock } = await observed();
    const cancelling = endpoint.cancelObservation(peer, request.token, { ...get, maxRetransmit: 0 });
    cancelling.catch(() => undefined);
    await raw.next();
    clock.advance(2_000);
    await expect(cancelling).rejects.toThrow('not acknowledged');
    expect(await raw.ask(notification(11, 50))).toMatchObject({ type: 'RST' });
  });

  it('can be registered again with its token', async () => {
    const { raw, notification, endpoint, peer, request, heard } = await observed();
    const fresh: number[] = [];
    const again = endpoint.observe(peer, { ...get, token: request.token }, async ({ observe }) => {
      fresh.push(observe!);
    });
    raw.send(answerTo(await raw.next(), [observeOption(1)]));
    expect(await again).toMatchObject({ observing: true, token: request.token });
    await raw.ask(notification(2, 50));
    expect([fresh, numbers(heard), endpoint.gauges().observations]).toEqual([[2], [], 1]);
  });

  it('belongs to one peer: its token from elsewhere is reset', async () => {
    const { port, heard, notification } = await observed();
    const spoofer = await net.raw(port);
    expect(await spoofer.ask(notification(11, 50))).toMatchObject({ type: 'RST', messageId: 50 });
    expect(heard).toHaveLength(0);
  });

  const unusable = { options: [observeOption(11), option(9, '')] };

  it('ends with a Reset by a notification with an unknown critical option, the last one, of which nothing is used', async () => {
    const { raw, heard, notification, endpoint } = await observed();
    expect(await raw.ask(notification(11, 50, unusable))).toMatchObject({ type: 'RST', messageId: 50 });
    expect(await raw.ask(notification(11, 50, unusable))).toMatchObject({ type: 'RST', messageId: 50 });
    expect(heard).toMatchObject([{ code: Code.BadOption, payload: Buffer.alloc(0), ended: true }]);
    expect(endpoint.gauges().observations).toBe(0);
    expect(endpoint.counters()).toMatchObject({ 'response-rejected-option': 1, 'notification-accepted': 0 });
  });

  it('stays when its handler fails at that: the notification is not answered, and comes again', async () => {
    let failures = 1;
    const handler = (): Promise<void> => (failures-- > 0 ? Promise.reject(new Error('not now')) : Promise.resolve());
    const { raw, notification, endpoint } = await observed(handler);
    raw.send(notification(11, 50, unusable));
    await raw.heardNothing();
    expect(endpoint.gauges().observations).toBe(1);
    expect(await raw.ask(notification(11, 50, unusable))).toMatchObject({ type: 'RST', messageId: 50 });
    expect(endpoint.gauges().observations).toBe(0);
  });

  it('leaves notifications beyond the limit unacknowledged', async () => {
    const gate = held();
    const limits = { notificationsInFlightPerPeerMax: 2 };
    const { raw, heard, notification, endpoint } = await observed(() => gate.promise, { limits });
    for (const step of [1, 2, 3]) raw.send(notification(10 + step, 50 + step));
    await raw.heardNothing();
    expect([heard.length, endpoint.counters()['notification-refused-by-limit']]).toEqual([2, 1]);
    gate.resolve();
    expect([(await raw.next()).messageId, (await raw.next()).messageId]).toEqual([51, 52]);
    expect(await raw.ask(notification(13, 53))).toMatchObject({ type: 'ACK', messageId: 53 });
  });

  it('bounds notifications in total', async () => {
    const limits = { notificationsInFlightMax: 1 };
    const { raw, notification, endpoint } = await observed(() => new Promise(() => undefined), { limits });
    raw.send(notification(11, 50));
    raw.send(notification(12, 51));
    await raw.heardNothing();
    expect(endpoint.counters()['notification-refused-by-limit']).toBe(1);
  });

  it('goes with its peer', async () => {
    const { raw, notification, endpoint, peer } = await observed();
    endpoint.forgetPeer(peer);
    expect(await raw.ask(notification(11, 50))).toMatchObject({ type: 'RST' });
  });

  it('can be restored by another process', async () => {
    const { endpoint, port, ...rest } = await net.endpoint();
    const raw = await net.raw(port);
    const heard: CoapNotification[] = [];
    const token = Buffer.from('earlier!');
    endpoint.restoreObservation(peerAt({ endpoint, port, ...rest }, raw.port), token, async (one) => {
      heard.push(one);
    });
    await raw.ask({ code: Code.Content, messageId: 4, token, options: [observeOption(200)] });
    expect(numbers(heard)).toEqual([200]);
    expect(endpoint.gauges()).toMatchObject({ observations: 1, keptPeers: 1 });
    const large = { code: Code.Content, messageId: 5, token, payload: Buffer.alloc(16) };
    const options = [observeOption(201), option(23, [0x08])];
    expect(await raw.ask({ ...large, options })).toMatchObject({ type: 'RST', messageId: 5 });
    expect(heard[1]).toMatchObject({ partial: true, ended: true });
    expect(endpoint.gauges().observations).toBe(0);
  });
});

describe('notify', () => {
  const token = Buffer.from('observer');
  const device = async (options: Options = {}): Promise<{ subject: Subject; raw: RawPeer }> => {
    const subject = await net.endpoint(options);
    return { subject, raw: await net.raw(subject.port) };
  };
  const value = { token, observeNumber: 7, payload: Buffer.from('21'), contentFormat: 0, maxAgeSeconds: 60 };

  it.each([
    ['ACK', 'acknowledged'],
    ['RST', 'reset'],
  ] as const)('a confirmable notification answered with %s is %s', async (type, outcome) => {
    const { subject, raw } = await device();
    const sent = subject.endpoint.notify(peerAt(subject, raw.port), { ...value, confirmable: true });
    const heard = await raw.next();
    expect(heard).toMatchObject({ type: 'CON', code: Code.Content, token, payload: value.payload });
    expect([optionOf(heard, 6), optionOf(heard, 14)]).toEqual([Buffer.from([7]), Buffer.from([60])]);
    raw.send({ type, messageId: heard.messageId });
    expect(await sent).toBe(outcome);
  });

  it('times out, and waits its turn behind a request', async () => {
    const { subject, raw } = await device();
    const peer = peerAt(subject, raw.port);
    const request = subject.endpoint.request(peer, get);
    const sent = subject.endpoint.notify(peer, { ...value, confirmable: true, maxRetransmit: 0 });
    const first = await raw.next();
    await raw.heardNothing();
    raw.send(answerTo(first));
    await request;
    await raw.next();
    subject.clock.advance(2_000);
    expect(await sent).toBe('timed-out');
  });

  it('tells when a non-confirmable notification was reset', async () => {
    const resets: Buffer[] = [];
    const { subject, raw } = await device({ onObserverReset: (observer) => resets.push(observer.token) });
    const peer = peerAt(subject, raw.port);
    expect(await subject.endpoint.notify(peer, { ...value, confirmable: false })).toBe('sent');
    const heard = await raw.next();
    expect(heard.type).toBe('NON');
    raw.send({ type: 'RST', messageId: heard.messageId });
    raw.send({ type: 'RST', messageId: heard.messageId });
    await raw.heardNothing();
    expect(resets).toEqual([token]);
  });

  it.each([
    [
      'forgotten',
      PeerForgotten,
      (subject: Subject, port: number) => subject.endpoint.forgetPeer(peerAt(subject, port)),
    ],
    ['closed', EndpointClosed, (subject: Subject) => subject.endpoint.close()],
  ])('is rejected when %s meanwhile', async (_name, error, end) => {
    const { subject, raw } = await device();
    const sent = subject.endpoint.notify(peerAt(subject, raw.port), { ...value, confirmable: true });
    sent.catch(() => undefined);
    await raw.next();
    await end(subject, raw.port);
    await expect(sent).rejects.toThrow(error);
  });

  it('reaches the observation of another endpoint', async () => {
    const tokens: Buffer[] = [];
    const observed = await net.endpoint({
      onRequest: async (request) => {
        tokens.push(request.token);
        return { code: Code.Content, observe: 1, payload: Buffer.from('20') };
      },
    });
    const server = await net.endpoint();
    const heard: string[] = [];
    await server.endpoint.observe(peerAt(server, observed.port), get, async ({ payload }) => {
      heard.push(payload.toString());
    });
    const peer = peerAt(observed, server.port);
    for (const observeNumber of [2, 3]) {
      const payload = Buffer.from(`${observeNumber}`);
      const notification = { token: tokens[0]!, observeNumber, payload, confirmable: true };
      expect(await observed.endpoint.notify(peer, notification)).toBe('acknowledged');
    }
    expect(heard).toEqual(['2', '3']);
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Code,
  PeerForgotten,
  PeerReset,
  RequestAbandoned,
  RequestTimedOut,
  UnencodableMessage,
  UnusableResponse,
} from '../src/index.js';
import { Loopback, peerAt, until } from './bench-of-endpoints.js';
import { option } from './raw-peer.js';

const net = new Loopback();
afterEach(() => net.close());

const get = { method: Code.GET, path: ['3', '0'] };

describe('an endpoint that asks a bare socket', () => {
  const asking = async (request = {}) => {
    const device = await net.endpoint();
    const raw = await net.raw(device.port);
    const peer = peerAt(device, raw.port);
    const answer = device.endpoint.request(peer, { ...get, ...request });
    answer.catch(() => undefined);
    return { ...device, raw, peer, answer, first: await raw.next() };
  };

  it('retransmits after 2, 4, 8 and 16 s, the same bytes, and gives up after 62 s', async () => {
    const { clock, raw, answer, first, endpoint } = await asking();
    for (const waitMs of [2_000, 4_000, 8_000, 16_000]) {
      clock.advance(waitMs - 100);
      await raw.heardNothing();
      clock.advance(100);
      expect(await raw.next()).toEqual(first);
    }
    clock.advance(32_000);
    await expect(answer).rejects.toMatchObject({ name: 'RequestTimedOut', acknowledged: false });
    await raw.heardNothing();
    expect(endpoint.counters()).toMatchObject({ retransmission: 4, 'request-timed-out': 1 });
    expect(endpoint.gauges()).toMatchObject({ requestsOutstanding: 0 });
  });

  it('uses the timeouts of the request', async () => {
    const { clock, raw, answer, first } = await asking({ ackTimeoutMs: 8_000, maxRetransmit: 1 });
    clock.advance(7_900);
    await raw.heardNothing();
    clock.advance(100);
    expect(await raw.next()).toEqual(first);
    clock.advance(16_000);
    await expect(answer).rejects.toThrow(RequestTimedOut);
  });

  it('sends nothing more once the signal of the request aborts, and continues with the next one', async () => {
    const giveUp = new AbortController();
    const { clock, raw, answer, endpoint, peer } = await asking({ signal: giveUp.signal });
    const next = endpoint.request(peer, { ...get, path: ['next'] });
    giveUp.abort();
    await expect(answer).rejects.toThrow(RequestAbandoned);
    const second = await raw.next();
    clock.advance(1_900);
    await raw.heardNothing();
    raw.send({ type: 'ACK', code: Code.Content, messageId: second.messageId, token: second.token });
    expect((await next).code).toBe(Code.Content);
    await expect(endpoint.request(peer, { ...get, signal: giveUp.signal })).rejects.toThrow(RequestAbandoned);
    expect(endpoint.gauges()).toMatchObject({ requestsOutstanding: 0, requestsQueued: 0 });
  });

  it('asks before it sends a request that has waited, and continues with the next one', async () => {
    const { raw, answer, first, endpoint, peer } = await asking();
    const tooLate = endpoint.request(peer, { ...get, beforeSending: () => Promise.reject(new Error('too late')) });
    const refused = expect(tooLate).rejects.toThrow('too late');
    const next = endpoint.request(peer, { ...get, beforeSending: () => Promise.resolve() });
    raw.send({ type: 'ACK', code: Code.Content, messageId: first.messageId, token: first.token });
    await answer;
    await refused;
    const second = await raw.next();
    raw.send({ type: 'ACK', code: Code.Changed, messageId: second.messageId, token: second.token });
    expect((await next).code).toBe(Code.Changed);
    expect(endpoint.gauges()).toMatchObject({ requestsOutstanding: 0, requestsQueued: 0 });
  });

  it('waits for a peer as long as its radio needs, and for the others as usual', async () => {
    let slowPort = 0;
    const radioOf = ({ port: to }: { port: number }) => (to === slowPort ? { ackTimeoutMs: 9_000 } : undefined);
    const device = await net.endpoint({ radioOf });
    const [slow, usual] = [await net.raw(device.port), await net.raw(device.port)];
    slowPort = slow.port;
    const asked = [slow, usual].map((raw) => device.endpoint.request(peerAt(device, raw.port), get));
    for (const one of asked) one.catch(() => undefined);
    await Promise.all([slow.next(), usual.next()]);
    device.clock.advance(2_000);
    await usual.next();
    await slow.heardNothing();
    device.clock.advance(7_000);
    expect(await slow.next()).toBeDefined();
  });

  it('has an acknowledgement timeout of its own for slow radios', async () => {
    const { endpoint, clock, port } = await net.endpoint({ ackTimeoutMs: 9_000 });
    const raw = await net.raw(port);
    const answer = endpoint.request(endpoint.peer('127.0.0.1', raw.port), get);
    answer.catch(() => undefined);
    const first = await raw.next();
    clock.advance(8_900);
    await raw.heardNothing();
    clock.advance(100);
    expect(await raw.next()).toEqual(first);
  });

  it('stops retransmitting when acknowledged, acknowledges the separate response and its duplicates', async () => {
    const { clock, raw, answer, first, endpoint } = await asking();
    raw.send({ type: 'ACK', messageId: first.messageId });
    await until(() => endpoint.counters()['datagram-received'] === 1);
    clock.advance(60_000);
    await raw.heardNothing();
    const response = { code: Code.Content, messageId: 900, token: first.token, payload: Buffer.from('late') };
    expect(await raw.ask(response)).toMatchObject({ type: 'ACK', code: 0, messageId: 900 });
    expect((await answer).payload.toString()).toBe('late');
    expect(await raw.ask(response)).toMatchObject({ type: 'ACK', messageId: 900 });
    expect(endpoint.counters()['response-duplicate']).toBe(1);
  });

  it('takes a separate response although the acknowledgement was lost', async () => {
    const { clock, raw, answer, first } = await asking();
    raw.send({ type: 'NON', code: Code.Content, messageId: 901, token: first.token });
    expect((await answer).code).toBe(Code.Content);
    clock.advance(10_000);
    await raw.heardNothing();
  });

  it('gives up when the separate response does not come', async () => {
    const { clock, raw, answer, first, endpoint } = await asking({ timeoutMs: 5_000 });
    raw.send({ type: 'ACK', messageId: first.messageId });
    await until(() => endpoint.counters()['datagram-received'] === 1);
    clock.advance(5_100);
    await expect(answer).rejects.toMatchObject({ name: 'RequestTimedOut', acknowledged: true });
    const late = await raw.ask({ code: Code.Content, messageId: 902, token: first.token });
    expect(late).toMatchObject({ type: 'RST', messageId: 902 });
  });

  it('gives up on a non-confirmable request without sending it again', async () => {
    const { clock, raw, answer, first } = await asking({ confirmable: false, timeoutMs: 1_000 });
    expect(first.type).toBe('NON');
    clock.advance(1_100);
    await expect(answer).rejects.toThrow(RequestTimedOut);
    await raw.heardNothing();
  });

  it.each([true, false])('fails when the request is reset (confirmable: %s)', async (confirmable) => {
    const { raw, answer, first } = await asking({ confirmable });
    raw.send({ type: 'RST', messageId: first.messageId });
    await expect(answer).rejects.toThrow(PeerReset);
    await expect(answer).rejects.toMatchObject({ isLate: false });
  });

  it('says so when the reset comes after a retransmission', async () => {
    const { clock, raw, answer, first } = await asking();
    clock.advance(2_000);
    expect(await raw.next()).toEqual(first);
    raw.send({ type: 'RST', messageId: first.messageId });
    await expect(answer).rejects.toMatchObject({ name: 'PeerReset', isLate: true });
  });

  it('says so when the reset comes after the acknowledgement', async () => {
    const { raw, answer, first } = await asking();
    raw.send({ type: 'ACK', messageId: first.messageId });
    raw.send({ type: 'RST', messageId: first.messageId });
    await expect(answer).rejects.toMatchObject({ name: 'PeerReset', isLate: true });
  });

  it('believes neither an acknowledgement of another message nor a response with another token', async () => {
    const { raw, answer, first, endpoint } = await asking();
    raw.send({ type: 'ACK', code: Code.Content, messageId: first.messageId + 1, token: first.token });
    raw.send({ type: 'ACK', code: Code.Content, messageId: first.messageId, token: Buffer.from('guessed!') });
    raw.send({ type: 'ACK', messageId: first.messageId + 1 });
    raw.send({ type: 'RST', messageId: first.messageId + 1 });
    raw.send({ type: 'ACK', code: Code.Changed, messageId: first.messageId, token: first.token });
    expect((await answer).code).toBe(Code.Changed);
    expect(endpoint.counters()).toMatchObject({ 'acknowledgement-unmatched': 3, 'response-mismatched': 1 });
  });

  it('believes no other peer, whatever token and message id it knows', async () => {
    const { raw, answer, first, endpoint, port } = await asking();
    const spoofer = await net.raw(port);
    spoofer.send({ type: 'RST', messageId: first.messageId });
    spoofer.send({ type: 'ACK', messageId: first.messageId });
    spoofer.send({ type: 'ACK', code: Code.Content, messageId: first.messageId, token: first.token });
    const separate = await spoofer.ask({ code: Code.Content, messageId: 77, token: first.token });
    expect(separate).toMatchObject({ type: 'RST', messageId: 77 });
    expect(endpoint.gauges().requestsOutstanding).toBe(1);
    raw.send({ type: 'ACK', code: Code.Changed, messageId: first.messageId, token: first.token });
    expect((await answer).code).toBe(Code.Changed);
  });

  it('does not use a response with an unknown critical option', async () => {
    const { raw, answer, first } = await asking();
    const options = [option(65_001, 'x')];
    raw.send({ type: 'ACK', code: Code.Content, messageId: first.messageId, token: first.token, options });
    await expect(answer).rejects.toThrow(UnusableResponse);
  });

  it('resets a separate response with an unknown critical option', async () => {
    const { raw, answer, first } = await asking();
    const reply = await raw.ask({ code: Code.Content, messageId: 5, token: first.token, options: [option(9, '')] });
    expect(reply).toMatchObject({ type: 'RST', messageId: 5 });
    await expect(answer).rejects.toThrow(UnusableResponse);
  });

  it('rejects what waits when the peer is forgotten', async () => {
    const { endpoint, peer, answer, clock, raw } = await asking();
    const second = endpoint.request(peer, get);
    second.catch(() => undefined);
    endpoint.forgetPeer(peer);
    await expect(answer).rejects.toThrow(PeerForgotten);
    await expect(second).rejects.toThrow(PeerForgotten);
    clock.advance(2_000);
    await raw.heardNothing();
    expect(endpoint.gauges()).toMatchObject({ peers: 0, requestsOutstanding: 0, requestsQueued: 0 });
  });

  it('rejects what cannot be encoded and continues', async () => {
    const { endpoint, peer, raw, answer, first } = await asking();
    raw.send({ type: 'ACK', code: Code.Changed, messageId: first.messageId, token: first.token });
    await answer;
    await expect(endpoint.request(peer, { ...get, method: 300 })).rejects.toThrow(UnencodableMessage);
    const next = endpoint.request(peer, get);
    const { messageId, token } = await raw.next();
    raw.send({ type: 'ACK', code: Code.Valid, messageId, token });
    expect((await next).code).toBe(Code.Valid);
  });
});

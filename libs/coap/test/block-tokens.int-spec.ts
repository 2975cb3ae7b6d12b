import { afterEach, describe, expect, it } from '@jest/globals';
import { type CoapOption, Code } from '../src/index.js';
import { Loopback, peerAt } from './bench-of-endpoints.js';
import { answer, block, BLOCK1, BLOCK2, REQUEST_TAG } from './blocks.js';
import { get, observeOption } from './observing.js';
import { option, optionOf } from './raw-peer.js';

const net = new Loopback();
afterEach(() => net.close());

const setUp = async () => {
  const server = await net.endpoint();
  const raw = await net.raw(server.port);
  return { endpoint: server.endpoint, raw, peer: peerAt(server, raw.port) };
};

describe('requests in blocks', () => {
  it('observe with each block and one token, and end that in the same way', async () => {
    const { endpoint, raw, peer } = await setUp();
    const list = { method: Code.FETCH, path: [], payload: Buffer.alloc(1_500), contentFormat: 110 };
    const answerBoth = async (...options: CoapOption[]) => {
      const first = await raw.next();
      raw.send(answer(first, Code.Continue, [block(BLOCK1, 0, true, 6)]));
      const last = await raw.next();
      raw.send(answer(last, Code.Content, [...options, block(BLOCK1, 1, false, 6)]));
      return [first, last].map((one) => ({ observe: optionOf(one, 6), token: one.token.toString('hex') }));
    };
    const registering = endpoint.observe(peer, list, async () => undefined);
    const registered = await answerBoth(observeOption(1));
    const observation = await registering;
    expect(observation.observing).toBe(true);
    const begins = { observe: Buffer.alloc(0), token: observation.token.toString('hex') };
    expect(registered).toEqual([begins, begins]);
    const cancelling = endpoint.cancelObservation(peer, observation.token, list);
    const ends = { ...begins, observe: Buffer.from([1]) };
    expect(await answerBoth()).toEqual([ends, ends]);
    expect((await cancelling).code).toBe(Code.Content);
  });
});

describe('answers in blocks', () => {
  const part = (num: number, more: boolean): CoapOption => block(BLOCK2, num, more, 0);
  const first = Buffer.alloc(16, 'a');
  const last = Buffer.from('b');

  it('are fetched with the token of the request', async () => {
    const { endpoint, raw, peer } = await setUp();
    const reading = endpoint.request(peer, get);
    const request = await raw.next();
    raw.send(answer(request, Code.Content, [part(0, true)], first));
    const next = await raw.next();
    expect(next.token.equals(request.token)).toBe(true);
    raw.send(answer(next, Code.Content, [part(1, false)], last));
    expect((await reading).payload.toString()).toBe(`${'a'.repeat(16)}b`);
  });

  it('are fetched with another token when that of the request is for notifications', async () => {
    const { endpoint, raw, peer } = await setUp();
    const registering = endpoint.observe(peer, get, async () => undefined);
    const request = await raw.next();
    raw.send(answer(request, Code.Content, [observeOption(1), part(0, true)], first));
    const next = await raw.next();
    expect([next.token.equals(request.token), optionOf(next, 6)]).toEqual([false, undefined]);
    raw.send(answer(next, Code.Content, [part(1, false)], last));
    expect(await registering).toMatchObject({ observing: true, token: request.token });
  });

  it('are told from notifications when they answer the end of an observation', async () => {
    const { endpoint, raw, peer } = await setUp();
    const heard: string[] = [];
    const registering = endpoint.observe(peer, get, async ({ payload }) => void heard.push(payload.toString()));
    const request = await raw.next();
    const { token } = request;
    raw.send(answer(request, Code.Content, [observeOption(1)], last));
    await registering;
    const cancelling = endpoint.cancelObservation(peer, token, get);
    raw.send(answer(await raw.next(), Code.Content, [part(0, true)], first));
    const next = await raw.next();
    expect([next.token.equals(token), optionOf(next, 6)]).toEqual([true, undefined]);
    const late = { code: Code.Content, messageId: 7, token, options: [observeOption(2)], payload: Buffer.from('late') };
    expect(await raw.ask(late)).toMatchObject({ type: 'ACK', messageId: 7 });
    raw.send(answer(next, Code.Content, [part(1, false)], last));
    expect((await cancelling).payload.toString()).toBe(`${'a'.repeat(16)}b`);
    expect(heard).toEqual(['late']);
  });
});

describe('bodies that arrive at the same time for one resource', () => {
  it('are kept apart by their tags', async () => {
    const { port, asked } = await net.endpoint();
    const raw = await net.raw(port);
    let messageId = 0;
    const part = async (tag: string, num: number, more: boolean, letter: string): Promise<number> => {
      const options = [block(BLOCK1, num, more, 0), option(REQUEST_TAG, tag)];
      const payload = Buffer.alloc(16, letter);
      return (await raw.ask({ code: Code.PUT, messageId: messageId++, options, payload })).code;
    };
    for (const tag of ['1', '2']) expect(await part(tag, 0, true, tag)).toBe(Code.Continue);
    for (const tag of ['1', '2']) expect(await part(tag, 1, false, 'x')).toBe(Code.Changed);
    expect(asked.map(({ payload }) => payload.toString())).toEqual(
      ['1', '2'].map((tag) => tag.repeat(16) + 'x'.repeat(16)),
    );
  });
});

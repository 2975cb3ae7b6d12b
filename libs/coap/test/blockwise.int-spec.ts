import { afterEach, describe, expect, it } from '@jest/globals';
import { BlockTransferFailed, type CoapOption, Code, PeerReset } from '../src/index.js';
import { Loopback, type Options, peerAt } from './bench-of-endpoints.js';
import { answer, block, BLOCK1, BLOCK2, SIZE1 } from './blocks.js';
import { observing } from './observing.js';
import { option, optionOf, uriPath } from './raw-peer.js';

const net = new Loopback();
afterEach(() => net.close());

const bytesOf = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => (index * 31) & 0xff));

describe('two endpoints', () => {
  const pair = async (options: Options, deviceOptions: Options = {}) => {
    const server = await net.endpoint(options);
    const device = await net.endpoint(deviceOptions);
    return { server, device, peer: peerAt(device, server.port) };
  };

  it.each([
    [1_024, 1_024],
    [1_025, 1_024],
    [2_048, 1_024],
    [100_001, 1_024],
    [5_000, 64],
    [1_048_576, 1_024],
  ])('upload and download %d bytes in blocks of %d', async (length, blockBytes) => {
    const { server, device, peer } = await pair(
      { onRequest: async ({ payload }) => ({ code: Code.Content, payload, contentFormat: 42 }) },
      { limits: { blockBytes } },
    );
    const body = bytesOf(length);
    const response = await device.endpoint.request(peer, {
      method: Code.POST,
      path: ['rd'],
      payload: body,
      contentFormat: 42,
    });
    expect(response.payload.equals(body)).toBe(true);
    expect(response).toMatchObject({ code: Code.Content, contentFormat: 42 });
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]!.payload.equals(body)).toBe(true);
    expect(server.endpoint.gauges()).toMatchObject({ uploads: 0, uploadBytes: 0, storedAnswers: 0 });
  });

  it('adapt to the smaller blocks of the server when downloading', async () => {
    const payload = bytesOf(1_000);
    const { device, peer } = await pair({
      limits: { blockBytes: 32 },
      onRequest: async () => ({ code: Code.Content, payload }),
    });
    expect((await device.endpoint.request(peer, { method: Code.GET, path: [] })).payload.equals(payload)).toBe(true);
  });

  it('refuse a body above the limit on either side', async () => {
    const { device, peer, server } = await pair(
      { limits: { bodyBytesMax: 3_000 }, onRequest: async () => ({ code: Code.Content, payload: bytesOf(2_500) }) },
      { limits: { bodyBytesMax: 2_000 } },
    );
    const upload = { method: Code.PUT, path: ['a'], payload: bytesOf(3_001) };
    expect((await device.endpoint.request(peer, upload)).code).toBe(Code.RequestEntityTooLarge);
    expect(server.asked).toHaveLength(0);
    await expect(device.endpoint.request(peer, { method: Code.GET, path: ['b'] })).rejects.toThrow('too large');
  });

  it('fetch the rest of a large notification before it is handled', async () => {
    let value = bytesOf(3_000);
    const { server, device } = await pair(
      {},
      {
        onRequest: async ({ observe, token }) => {
          if (observe === 0) tokens.push(token);
          return { code: Code.Content, payload: value, ...(observe === 0 ? { observe: 1 } : {}) };
        },
      },
    );
    const tokens: Buffer[] = [];
    const heard: { payload: Buffer; observe?: number }[] = [];
    const get = { method: Code.GET, path: ['19', '0', '0'] };
    const observation = await server.endpoint.observe(peerAt(server, device.port), get, async (one) => {
      heard.push(one);
    });
    expect(observation).toMatchObject({ observing: true, response: { observe: 1 } });
    expect(observation.response.payload.equals(value)).toBe(true);
    value = Buffer.concat([bytesOf(2_000), Buffer.from('changed')]);
    const notification = { token: tokens[0]!, observeNumber: 2, payload: value, confirmable: true };
    expect(await device.endpoint.notify(peerAt(device, server.port), notification)).toBe('acknowledged');
    expect(heard[0]!.payload.equals(value)).toBe(true);
    expect(heard[0]!.observe).toBe(2);
    // The resource has moved on since the notification: what is delivered is the whole of the newer value.
    const older = { ...notification, observeNumber: 3, payload: bytesOf(2_500) };
    expect(await device.endpoint.notify(peerAt(device, server.port), older)).toBe('acknowledged');
    expect(heard[1]!.payload.equals(value)).toBe(true);
  });

  it('fetch the rest of a notification while a request has no answer, acknowledged or not', async () => {
    const { raw, endpoint, peer, heard, notification } = await observing(net);
    const asking = endpoint.request(peer, { method: Code.POST, path: ['5', '0', '2'] });
    const command = await raw.next();
    expect(command.code).toBe(Code.POST);
    const body = bytesOf(40);
    const answerBlocks = async (number: number, messageId: number): Promise<void> => {
      const first = notification(number, messageId, { payload: body.subarray(0, 16) });
      raw.send({ ...first, options: [...first.options!, block(BLOCK2, 0, true, 0)] });
      for (const num of [1, 2]) {
        const wanted = await raw.next();
        expect([wanted.code, optionOf(wanted, BLOCK2)]).toEqual([Code.GET, block(BLOCK2, num, false, 0).value]);
        const part = { payload: body.subarray(16 * num, 16 * num + 16), options: [block(BLOCK2, num, num === 1, 0)] };
        raw.send({ type: 'ACK', code: Code.Content, messageId: wanted.messageId, token: wanted.token, ...part });
      }
      expect(await raw.next()).toMatchObject({ type: 'ACK', code: 0, messageId });
    };
    await answerBlocks(11, 1);
    raw.send({ type: 'ACK', messageId: command.messageId });
    await answerBlocks(12, 2);
    expect(heard.map(({ payload }) => payload.equals(body))).toEqual([true, true]);
    raw.send({ code: Code.Changed, messageId: 3, token: command.token });
    expect((await asking).code).toBe(Code.Changed);
  });

  it('carry the body of a FETCH with each block of its answer', async () => {
    const { server, device, peer } = await pair({
      limits: { storedAnswersMax: 0 },
      onRequest: async ({ payload }) => ({ code: Code.Content, payload: Buffer.concat([payload, bytesOf(2_000)]) }),
    });
    const fetch = { method: Code.FETCH, path: [], payload: Buffer.from('[{"n":"/3/0"}]'), contentFormat: 110 };
    const response = await device.endpoint.request(peer, fetch);
    expect(response.payload.subarray(0, 14).toString()).toBe('[{"n":"/3/0"}]');
    expect(server.asked.map(({ contentFormat }) => contentFormat)).toEqual([110, 110]);
  });
});

describe('uploads from a bare socket', () => {
  const setUp = async (options: Options = {}) => {
    const server = await net.endpoint(options);
    const raw = await net.raw(server.port);
    let messageId = 100;
    const put = (
      num: number,
      more: boolean,
      over: { bytes?: number; szx?: number; path?: string; extra?: CoapOption[] } = {},
    ) => {
      messageId += 1;
      const options = [...uriPath(over.path ?? 'fw'), block(BLOCK1, num, more, over.szx ?? 0), ...(over.extra ?? [])];
      const token = Buffer.from(`t${messageId}`);
      return { code: Code.PUT, messageId, token, options, payload: Buffer.alloc(over.bytes ?? 16, num + 65) };
    };
    return { ...server, raw, put };
  };

  it('are put together although each block has a fresh token', async () => {
    const { raw, put, asked } = await setUp();
    const first = put(0, true);
    const answer = await raw.ask(first);
    expect([answer.code, answer.token, optionOf(answer, BLOCK1)]).toEqual([
      Code.Continue,
      first.token,
      Buffer.from([0x08]),
    ]);
    expect(await raw.ask(first)).toEqual(answer);
    await raw.ask(put(1, true));
    const last = await raw.ask(put(2, false, { bytes: 1 }));
    expect([last.code, optionOf(last, BLOCK1)]).toEqual([Code.Changed, Buffer.from([0x20])]);
    expect(asked.map(({ payload }) => payload.toString())).toEqual([`${'A'.repeat(16)}${'B'.repeat(16)}C`]);
  });

  it('answer a gap with 4.08 and a body announced too large with 4.13 and Size1', async () => {
    const { raw, put, asked } = await setUp({ limits: { bodyBytesMax: 1_000 } });
    expect((await raw.ask(put(1, true))).code).toBe(Code.RequestEntityIncomplete);
    const tooLarge = await raw.ask(put(0, true, { extra: [option(SIZE1, [0x03, 0xe9])] }));
    expect([tooLarge.code, optionOf(tooLarge, SIZE1)]).toEqual([Code.RequestEntityTooLarge, Buffer.from([0x03, 0xe8])]);
    expect((await raw.ask(put(0, true, { bytes: 15 }))).code).toBe(Code.BadRequest);
    expect(asked).toHaveLength(0);
  });

  it('of two peers and two resources are kept apart', async () => {
    const { raw, put, port, asked } = await setUp();
    const other = await net.raw(port);
    await raw.ask(put(0, true));
    expect((await other.ask(put(1, false))).code).toBe(Code.RequestEntityIncomplete);
    expect((await raw.ask(put(1, false, { path: 'other' }))).code).toBe(Code.RequestEntityIncomplete);
    expect((await raw.ask(put(1, false))).code).toBe(Code.Changed);
    expect(asked).toHaveLength(1);
  });

  it('free their memory in time', async () => {
    const { raw, put, endpoint, clock } = await setUp();
    await raw.ask(put(0, true));
    expect(endpoint.gauges()).toMatchObject({ uploads: 1, uploadBytes: 4_096 });
    clock.advance(93_100);
    expect(endpoint.gauges()).toMatchObject({ uploads: 0, uploadBytes: 0 });
    expect((await raw.ask(put(1, true))).code).toBe(Code.RequestEntityIncomplete);
  });

  it('do not make room for one another: a new one is told to try again later, from whichever peer', async () => {
    const { raw, put, endpoint, port } = await setUp({ limits: { uploadsMax: 2 } });
    const honest = await net.raw(port);
    expect((await honest.ask(put(0, true, { path: 'a' }))).code).toBe(Code.Continue);
    const answers = [];
    for (const path of ['b', 'c', 'd']) answers.push(await raw.ask(put(0, true, { path })));
    expect(answers.map(({ code }) => code)).toEqual([Code.Continue, Code.ServiceUnavailable, Code.ServiceUnavailable]);
    expect(optionOf(answers[1]!, 14)).toEqual(Buffer.from([30]));
    expect(endpoint.gauges().uploads).toBe(2);
    expect((await honest.ask(put(1, true, { path: 'a' }))).code).toBe(Code.Continue);
  });

  it('of one address have a bound of their own', async () => {
    const { raw, put } = await setUp({ limits: { uploadsPerAddressMax: 1 } });
    expect((await raw.ask(put(0, true, { path: 'a' }))).code).toBe(Code.Continue);
    expect((await raw.ask(put(0, true, { path: 'b' }))).code).toBe(Code.ServiceUnavailable);
  });

  it('of one address count together only if the option says so', async () => {
    let parties = 0;
    const { raw, put } = await setUp({ limits: { uploadsPerAddressMax: 1 }, sourceOf: () => `party ${parties++}` });
    expect((await raw.ask(put(0, true, { path: 'a' }))).code).toBe(Code.Continue);
    expect((await raw.ask(put(0, true, { path: 'b' }))).code).toBe(Code.Continue);
  });
});

describe('downloads by a bare socket', () => {
  const setUp = async (options: Options = {}) => {
    const payload = bytesOf(150);
    const server = await net.endpoint({ onRequest: async () => ({ code: Code.Content, payload }), ...options });
    const raw = await net.raw(server.port);
    const get = (messageId: number, num: number, szx: number, code: number = Code.GET) =>
      raw.ask({ code, messageId, options: [...uriPath('x'), block(BLOCK2, num, false, szx)] });
    return { ...server, raw, get, payload };
  };

  it('come in the smaller blocks that it asks for, from one answer of the handler', async () => {
    const { get, payload, asked } = await setUp();
    const parts = [await get(1, 0, 2), await get(2, 1, 2), await get(3, 2, 2)];
    expect(Buffer.concat(parts.map((part) => part.payload))).toEqual(payload);
    expect(parts.map((part) => optionOf(part, BLOCK2)![0])).toEqual([0x0a, 0x1a, 0x22]);
    expect(new Set(parts.map((part) => optionOf(part, 4)!.toString('hex'))).size).toBe(1);
    expect(optionOf(parts[0]!, 28)).toEqual(Buffer.from([150]));
    expect(asked).toHaveLength(1);
  });

  it('never come in larger blocks than ours', async () => {
    const { get } = await setUp({ limits: { blockBytes: 64 } });
    const first = await get(1, 0, 6);
    expect([first.payload.length, optionOf(first, BLOCK2)]).toEqual([64, Buffer.from([0x0a])]);
  });

  it('start again when the answer is forgotten, except for a request that changes something', async () => {
    const { get, asked, payload } = await setUp();
    expect((await get(1, 2, 2)).payload).toEqual(payload.subarray(128));
    expect((await get(2, 3, 2)).code).toBe(Code.BadRequest);
    expect((await get(3, 1, 2, Code.POST)).code).toBe(Code.RequestEntityIncomplete);
    expect(asked).toHaveLength(2);
  });
});

describe('an endpoint that uploads to a bare socket', () => {
  const setUp = async (length: number) => {
    const device = await net.endpoint();
    const raw = await net.raw(device.port);
    const result = device.endpoint.request(peerAt(device, raw.port), {
      method: Code.PUT,
      path: ['5', '0', '0'],
      payload: bytesOf(length),
    });
    result.catch(() => undefined);
    return { raw, result };
  };

  it('continues in the smaller blocks that the peer asks for', async () => {
    const { raw, result } = await setUp(2_100);
    const first = await raw.next();
    expect([optionOf(first, BLOCK1), optionOf(first, SIZE1)]).toEqual([Buffer.from([0x0e]), Buffer.from([0x08, 0x34])]);
    raw.send(answer(first, Code.Continue, [block(BLOCK1, 0, true, 5)]));
    const parts = [first.payload];
    for (const num of [2, 3, 4]) {
      const next = await raw.next();
      expect(next.token.equals(first.token)).toBe(true);
      expect(optionOf(next, BLOCK1)).toEqual(block(BLOCK1, num, num < 4, 5).value);
      parts.push(next.payload);
      raw.send(answer(next, num < 4 ? Code.Continue : Code.Changed, [block(BLOCK1, num, num < 4, 5)]));
    }
    expect((await result).code).toBe(Code.Changed);
    expect(Buffer.concat(parts)).toEqual(bytesOf(2_100));
  });

  it.each([2_000, 1_000])('starts again when %d bytes are refused with a smaller block size', async (length) => {
    const { raw, result } = await setUp(length);
    const first = await raw.next();
    raw.send(answer(first, Code.RequestEntityTooLarge, [block(BLOCK1, 0, false, 5)]));
    const parts: Buffer[] = [];
    const tokens = new Set([first.token.toString('hex')]);
    for (let more = true; more;) {
      const next = await raw.next();
      const [bits] = optionOf(next, BLOCK1)!;
      more = (bits! & 8) !== 0;
      parts.push(next.payload);
      tokens.add(next.token.toString('hex'));
      raw.send(answer(next, more ? Code.Continue : Code.Changed, [option(BLOCK1, [bits!])]));
    }
    expect((await result).code).toBe(Code.Changed);
    expect(Buffer.concat(parts)).toEqual(bytesOf(length));
    expect(tokens.size).toBe(2);
  });

  it('starts again when the peer has lost its blocks (4.08), in those of its size', async () => {
    const { raw, result } = await setUp(2_000);
    raw.send(answer(await raw.next(), Code.Continue, [block(BLOCK1, 0, true, 4)]));
    const second = await raw.next();
    expect(optionOf(second, BLOCK1)).toEqual(block(BLOCK1, 4, true, 4).value);
    raw.send(answer(second, Code.RequestEntityIncomplete, []));
    const parts: Buffer[] = [];
    for (let num = 0; num < 8; num += 1) {
      const next = await raw.next();
      expect(optionOf(next, BLOCK1)).toEqual(block(BLOCK1, num, num < 7, 4).value);
      parts.push(next.payload);
      raw.send(answer(next, num < 7 ? Code.Continue : Code.Changed, [block(BLOCK1, num, num < 7, 4)]));
    }
    expect((await result).code).toBe(Code.Changed);
    expect(Buffer.concat(parts)).toEqual(bytesOf(2_000));
  });

  it('does not take another answer to the first block for one to the last', async () => {
    const { raw, result } = await setUp(2_000);
    const first = await raw.next();
    const continues = { code: Code.Continue, token: first.token, options: [block(BLOCK1, 0, true, 6)] };
    expect(await raw.ask({ ...continues, messageId: 1 })).toMatchObject({ type: 'ACK', messageId: 1 });
    expect(optionOf(await raw.next(), BLOCK1)).toEqual(block(BLOCK1, 1, false, 6).value);
    raw.send({ ...continues, messageId: 2 });
    await expect(result).rejects.toThrow(BlockTransferFailed);
  });

  it.each([
    ['gives an early refusal', Code.Unauthorized, []],
    ['gives 4.08', Code.RequestEntityIncomplete, [block(BLOCK1, 0, true, 6)]],
  ])('%s', async (_name, code, options) => {
    const { raw, result } = await setUp(2_000);
    raw.send(answer(await raw.next(), code, options));
    expect((await result).code).toBe(code);
  });

  it.each([Code.Changed, Code.Continue])('does not take a success in the middle for the end (%d)', async (code) => {
    const { raw, result } = await setUp(2_000);
    raw.send(answer(await raw.next(), code, []));
    await expect(result).rejects.toThrow(BlockTransferFailed);
    await result.catch((error: BlockTransferFailed) => expect(error.code).toBeUndefined());
  });

  it('fails with its round trip', async () => {
    const { raw, result } = await setUp(2_000);
    raw.send({ type: 'RST', messageId: (await raw.next()).messageId });
    await expect(result).rejects.toThrow(PeerReset);
  });
});

describe('an endpoint that downloads from a bare socket', () => {
  const setUp = async (method: number = Code.GET) => {
    const device = await net.endpoint();
    const raw = await net.raw(device.port);
    const result = device.endpoint.request(peerAt(device, raw.port), { method, path: ['3'], accept: 110 });
    result.catch(() => undefined);
    return { raw, result, first: await raw.next() };
  };
  const etag = (value: string) => option(4, value);
  const part = (num: number, more: boolean) => block(BLOCK2, num, more, 0);

  it('ignores duplicates of every block', async () => {
    const { raw, result, first } = await setUp();
    let request = first;
    for (const num of [0, 1, 2]) {
      const datagram = answer(request, Code.Content, [part(num, num < 2)], Buffer.alloc(num < 2 ? 16 : 3, num + 65));
      raw.send(datagram);
      raw.send(datagram);
      if (num === 2) break;
      request = await raw.next();
      expect([optionOf(request, BLOCK2)![0], optionOf(request, 17), optionOf(request, 11)!.toString()]).toEqual([
        (num + 1) * 16,
        Buffer.from([110]),
        '3',
      ]);
    }
    expect((await result).payload.toString()).toBe(`${'A'.repeat(16)}${'B'.repeat(16)}CCC`);
    await raw.heardNothing();
  });

  it.each([
    ['a block out of order', [part(2, true)], 16, Code.Content],
    ['a short block in the middle', [part(1, true)], 15, Code.Content],
    ['a block that is too long', [part(1, false)], 17, Code.Content],
    ['no block', [], 16, Code.Content],
    ['an error', [], 0, Code.NotFound],
  ])('fails on %s', async (_name, options, length, code) => {
    const { raw, result, first } = await setUp();
    raw.send(answer(first, Code.Content, [part(0, true)], Buffer.alloc(16)));
    raw.send(answer(await raw.next(), code, options, Buffer.alloc(length)));
    await expect(result).rejects.toThrow(BlockTransferFailed);
    await result.catch((error: BlockTransferFailed) =>
      expect(error.code).toBe(code === Code.NotFound ? code : undefined),
    );
  });

  it('starts again once when the representation changes', async () => {
    const { raw, result, first } = await setUp();
    raw.send(answer(first, Code.Content, [etag('1'), part(0, true)], Buffer.alloc(16, 'a')));
    raw.send(answer(await raw.next(), Code.Content, [etag('2'), part(1, false)], Buffer.alloc(1, 'B')));
    const again = await raw.next();
    expect(optionOf(again, BLOCK2)).toEqual(Buffer.alloc(0));
    raw.send(answer(again, Code.Content, [etag('2'), part(0, true)], Buffer.alloc(16, 'A')));
    raw.send(answer(await raw.next(), Code.Content, [etag('2'), part(1, false)], Buffer.alloc(1, 'B')));
    expect(await result).toMatchObject({ payload: Buffer.from(`${'A'.repeat(16)}B`), etag: Buffer.from('2') });
  });

  it.each([
    ['a second change', Code.GET],
    ['a change of what cannot be asked for again', Code.POST],
  ])('fails on %s', async (_name, method) => {
    const { raw, result, first } = await setUp(method);
    let request = first;
    for (const version of ['1', '2', '2', '3']) {
      const num = (optionOf(request, BLOCK2)?.[0] ?? 0) >> 4;
      raw.send(answer(request, Code.Content, [etag(version), part(num, true)], Buffer.alloc(16)));
      if (version === '3' || (method === Code.POST && version === '2')) break;
      request = await raw.next();
    }
    await expect(result).rejects.toThrow('changed');
  });
});

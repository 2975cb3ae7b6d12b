import { expect, it } from '@jest/globals';
import { Code, type OutgoingRequest } from '@lanyard/coap';
import { contentFormat, decodeSend, standardModels } from '@lanyard/lwm2m';
import { Tally } from '../counts/tally.js';
import { type Reporting } from './reports.js';
import { Sender } from './sender.js';

const path = '/3303/0/5700';
const models = standardModels();

/** A sender, and what its timer calls when it is due. */
const senderOf = (transport: object, values: () => object[], tally = new Tally()) => {
  const timer = { due: (): void => undefined };
  const schedule = (_delayMs: number, run: () => void) => {
    timer.due = run;
    return { cancel: () => undefined };
  };
  const device = {
    nowMs: () => 0,
    store: { below: () => [{ measured: true, path }], values },
    transport,
    group: {
      settings: { send: { values: 1, everySeconds: 1 }, version: '1.1', ackTimeoutMs: 1_000, retransmissions: 0 },
      tally,
      context: { timers: { schedule } },
    },
  };
  return { sender: new Sender(device as unknown as Reporting), timer };
};

it('what is measured while others are sent waits, and is dropped only beyond 1,000 values', async () => {
  const tally = new Tally();
  const sent: number[] = [];
  const answers: ((code: number) => void)[] = [];
  let count = 0;
  const transport = {
    isOpen: true,
    request: ({ payload = Buffer.alloc(0) }: OutgoingRequest) => {
      sent.push(decodeSend(contentFormat.senmlCbor, payload, models).length);
      return new Promise((answered) => answers.push((code) => answered({ code })));
    },
  };
  const values = () => Array.from({ length: count }, (_, value) => ({ path, type: 'float', value }));
  const { sender, timer } = senderOf(transport, values, tally);
  const measure = (number: number): void => {
    count = number;
    timer.due();
  };
  const answer = async (code: number): Promise<void> => {
    answers.shift()?.(code);
    await new Promise(setImmediate);
  };

  sender.start();
  measure(1_000);
  measure(10);
  await answer(Code.Changed);
  measure(1);
  expect(sent).toEqual([1_000, 11]);
  expect(tally.counts).toMatchObject({ 'send-accepted': 1, 'send-refused': 0, 'value-dropped': 0 });
  measure(995);
  await answer(Code.ServiceUnavailable);
  measure(0);
  expect(sent).toEqual([1_000, 11, 1_000]);
  expect(tally.counts).toMatchObject({ 'send-accepted': 1, 'send-refused': 1, 'value-dropped': 6 });
  await answer(Code.ServiceUnavailable);
  expect(tally.refusing).toBe(1);
  measure(0);
  await answer(Code.Changed);
  expect(tally.refusing).toBe(0);
});

it('what was measured while the device slept is sent once when it wakes', async () => {
  const sent: number[] = [];
  const transport = {
    isOpen: false,
    request: ({ payload = Buffer.alloc(0) }: OutgoingRequest) => {
      sent.push(decodeSend(contentFormat.senmlCbor, payload, models).length);
      return Promise.resolve({ code: Code.Changed });
    },
  };
  const { sender, timer } = senderOf(transport, () => [{ path, type: 'float', value: 1 }]);
  sender.start();
  timer.due();
  timer.due();
  expect(sent).toEqual([]);
  transport.isOpen = true;
  sender.wake();
  await new Promise(setImmediate);
  sender.wake();
  expect(sent).toEqual([2]);
});

import { expect, it } from '@jest/globals';
import { type NotifyOutcome, type OutgoingNotification } from '@lanyard/coap';
import { contentFormat } from '@lanyard/lwm2m';
import { type Attributes } from '../objects/attributes.js';
import { type Watch } from '../observation/watch.js';
import { type Reporting, Reports } from './reports.js';

const path = '/3303/0/5700';

/** Timers that run when a test says so. */
class TestTimers {
  private readonly timers: { delayMs: number; run: () => void; isCancelled: boolean }[] = [];

  schedule(delayMs: number, run: () => void): { cancel: () => void } {
    const timer = { delayMs, run, isCancelled: false };
    this.timers.push(timer);
    return { cancel: () => void (timer.isCancelled = true) };
  }

  waiting(): number[] {
    return this.timers.filter((one) => !one.isCancelled).map(({ delayMs }) => delayMs);
  }

  runLast(): void {
    this.timers.at(-1)?.run();
  }
}

it('values that were kept leave first, one at a time, and what is measured meanwhile follows them', async () => {
  const sent: string[] = [];
  const acknowledgements: ((outcome: NotifyOutcome) => void)[] = [];
  let measured = 0;
  const transport = {
    isOpen: false,
    notify: ({ payload }: OutgoingNotification) => {
      sent.push(payload.toString());
      return new Promise<NotifyOutcome>((acknowledged) => acknowledgements.push(acknowledged));
    },
  };
  const device = {
    transport,
    nowMs: () => 0,
    store: {
      hasAttributes: false,
      attributesFor: () => ({}),
      catalogue: { formats: [contentFormat.text] },
      below: () => [{ measured: true }],
      values: () => [{ path, type: 'float', value: ++measured }],
    },
    group: {
      settings: { queueMode: true, keptValues: 10, confirmable: true },
      tally: { count: () => undefined, recordLatency: () => undefined },
      watches: { add: () => undefined, remove: () => undefined },
      context: {},
    },
  };
  const reports = new Reports(device as unknown as Reporting);
  reports.watch({ paths: [path], token: Buffer.from('t'), accept: undefined, isComposite: false });
  const measure = (): void => reports.changed([path]);
  const acknowledge = async (): Promise<void> => {
    acknowledgements.shift()?.('acknowledged');
    await new Promise(setImmediate);
  };

  measure();
  measure();
  transport.isOpen = true;
  reports.wake();
  expect(sent).toEqual(['1']);
  measure();
  expect(sent).toEqual(['1']);
  await acknowledge();
  expect(sent).toEqual(['1', '2']);
  await acknowledge();
  expect(sent).toEqual(['1', '2', '3']);
  await acknowledge();
  measure();
  expect(sent).toEqual(['1', '2', '3', '4']);
});

it('the earlier of the periods counts, also one that is written while a value waits', () => {
  const timers = new TestTimers();
  let nowMs = 0;
  let attributes: Attributes = {};
  const device = {
    transport: { isOpen: true },
    nowMs: () => nowMs,
    store: {
      hasAttributes: true,
      attributesFor: () => attributes,
      below: () => [{ measured: true }],
      values: () => [{ path, type: 'float', value: 1 }],
    },
    group: {
      settings: { queueMode: false },
      watches: { add: () => undefined, remove: () => undefined },
      context: { timers },
    },
  };
  const reports = new Reports(device as unknown as Reporting);
  reports.watch({ paths: [path], token: Buffer.from('t'), accept: undefined, isComposite: false });
  expect(timers.waiting()).toEqual([]);

  nowMs = 1_000;
  attributes = { pmin: 10, pmax: 3_600 };
  reports.attributesChanged('/3306');
  expect(timers.waiting()).toEqual([]);
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([3_599_000]);
  reports.changed([path]);
  expect(timers.waiting()).toEqual([9_000]);
  attributes = { pmin: 20, pmax: 3_600 };
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([19_000]);
  attributes = { pmin: 4, pmax: 5 };
  reports.attributesChanged('/3303');
  expect(timers.waiting()).toEqual([3_000]);
  attributes = {};
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([0]);
});

it('a maximum period that is cleared or made longer ends the one before, also during a notification', async () => {
  const timers = new TestTimers();
  const acknowledgements: ((outcome: NotifyOutcome) => void)[] = [];
  let nowMs = 0;
  let attributes: Attributes = { pmax: 60 };
  const device = {
    transport: {
      isOpen: true,
      notify: () => new Promise<NotifyOutcome>((acknowledged) => acknowledgements.push(acknowledged)),
    },
    nowMs: () => nowMs,
    store: {
      hasAttributes: true,
      attributesFor: () => attributes,
      catalogue: { formats: [contentFormat.text] },
      below: () => [{ measured: true }],
      values: () => [{ path, type: 'float', value: 1 }],
    },
    group: {
      settings: { queueMode: false, confirmable: true },
      tally: { count: () => undefined, recordLatency: () => undefined },
      watches: { add: () => undefined, remove: () => undefined },
      context: { timers },
    },
  };
  const reports = new Reports(device as unknown as Reporting);
  reports.watch({ paths: [path], token: Buffer.from('t'), accept: undefined, isComposite: false });
  expect(timers.waiting()).toEqual([60_000]);
  attributes = { pmax: 3_600 };
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([3_600_000]);
  reports.changed([path]);
  expect([timers.waiting(), acknowledgements.length]).toEqual([[], 1]);
  attributes = {};
  reports.attributesChanged(path);
  acknowledgements.shift()?.('acknowledged');
  await new Promise(setImmediate);
  expect(timers.waiting()).toEqual([]);
  attributes = { pmax: 60 };
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([60_000]);
  attributes = {};
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([]);
  attributes = { pmin: 60, pmax: 120 };
  nowMs = 60_000;
  reports.changed([path]);
  nowMs = 110_000;
  reports.attributesChanged(path);
  acknowledgements.shift()?.('acknowledged');
  await new Promise(setImmediate);
  expect(timers.waiting()).toEqual([120_000]);
});

it('a maximum period that ends while the device sleeps is over when it wakes, also with a threshold', () => {
  const timers = new TestTimers();
  const sent: string[] = [];
  let nowMs = 0;
  const transport = {
    isOpen: true,
    notify: ({ payload }: OutgoingNotification) => {
      sent.push(payload.toString());
      return new Promise<NotifyOutcome>(() => undefined);
    },
  };
  const device = {
    transport,
    nowMs: () => nowMs,
    store: {
      hasAttributes: true,
      attributesFor: (): Attributes => ({ gt: 100, pmax: 60 }),
      catalogue: { formats: [contentFormat.text] },
      below: () => [{ measured: true }],
      values: () => [{ path, type: 'float', value: 1 }],
    },
    group: {
      settings: { queueMode: true, keptValues: 10, confirmable: true },
      tally: { count: () => undefined, recordLatency: () => undefined },
      watches: { add: () => undefined, remove: () => undefined },
      context: { timers },
    },
  };
  const reports = new Reports(device as unknown as Reporting);
  reports.watch({ paths: [path], token: Buffer.from('t'), accept: undefined, isComposite: false });
  expect(timers.waiting()).toEqual([60_000]);
  transport.isOpen = false;
  nowMs = 60_000;
  timers.runLast();
  expect([sent, timers.waiting()]).toEqual([[], []]);
  transport.isOpen = true;
  nowMs = 100_000;
  reports.wake();
  expect([sent, timers.waiting()]).toEqual([[], [0]]);
  timers.runLast();
  expect(sent).toEqual(['1']);
});

it('an observation of a resource that was deleted ends', async () => {
  const watches = new Set<Watch>();
  let values = [{ path, type: 'string', value: 'a' }];
  let sent = 0;
  const notify = (): Promise<NotifyOutcome> => {
    sent++;
    return Promise.resolve('acknowledged');
  };
  const device = {
    transport: { isOpen: true, notify },
    nowMs: () => 0,
    store: {
      hasAttributes: false,
      attributesFor: () => ({}),
      catalogue: { formats: [contentFormat.text] },
      below: () => [{ measured: false }],
      values: () => values,
    },
    group: {
      settings: { queueMode: false, confirmable: true },
      tally: { count: () => undefined, recordLatency: () => undefined },
      watches: { add: (watch: Watch) => watches.add(watch), remove: (watch: Watch) => watches.delete(watch) },
      context: {},
    },
  };
  const reports = new Reports(device as unknown as Reporting);
  reports.watch({ paths: [path], token: Buffer.from('t'), accept: contentFormat.text, isComposite: false });
  const [watch] = watches;
  if (!watch) throw new Error('nothing is observed');
  await reports.report(watch);
  expect([sent, watches.size]).toEqual([1, 1]);
  values = [];
  await reports.report(watch);
  expect([sent, watches.size]).toEqual([1, 0]);
});

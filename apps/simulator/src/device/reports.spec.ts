import { expect, it } from '@jest/globals';
import { type NotifyOutcome, type OutgoingNotification } from '@lanyard/coap';
import { contentFormat } from '@lanyard/lwm2m';
import { Tally } from '../counts/tally.js';
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

/** A device with one resource. A test sets its state, and acknowledges what it sends. */
class TestDevice {
  readonly timers = new TestTimers();
  readonly watches = new Set<Watch>();
  readonly sent: string[] = [];
  readonly transport = {
    isOpen: true,
    notify: ({ payload }: OutgoingNotification): Promise<NotifyOutcome> => {
      this.sent.push(payload.toString());
      return new Promise((acknowledged) => this.acknowledgements.push(acknowledged));
    },
  };
  nowMs = 0;
  queueMode = false;
  measured = true;
  private readonly acknowledgements: ((outcome: NotifyOutcome) => void)[] = [];

  /** @param attributes without them, the server has written none */
  constructor(public attributes?: Attributes) {}

  values = (): object[] => [{ path, type: 'float', value: 1 }];

  /** Its reports, of which the resource is observed. */
  observed(accept?: number): Reports {
    const device = {
      transport: this.transport,
      nowMs: () => this.nowMs,
      store: {
        hasAttributes: this.attributes !== undefined,
        attributesFor: () => this.attributes,
        catalogue: { formats: [contentFormat.text] },
        below: () => [{ measured: this.measured }],
        values: () => this.values(),
      },
      group: {
        settings: { queueMode: this.queueMode, keptValues: 10, confirmable: true },
        tally: new Tally(),
        watches: {
          add: (watch: Watch) => this.watches.add(watch),
          remove: (watch: Watch) => this.watches.delete(watch),
        },
        context: { timers: this.timers },
      },
    };
    const reports = new Reports(device as unknown as Reporting);
    reports.watch({ paths: [path], token: Buffer.from('t'), accept, isComposite: false });
    return reports;
  }

  async acknowledge(): Promise<void> {
    this.acknowledgements.shift()?.('acknowledged');
    await new Promise(setImmediate);
  }
}

it('values that were kept leave first, one at a time, and what is measured meanwhile follows them', async () => {
  const device = new TestDevice();
  const { sent, transport } = device;
  let measured = 0;
  device.values = () => [{ path, type: 'float', value: ++measured }];
  device.queueMode = true;
  transport.isOpen = false;
  const reports = device.observed();
  const measure = (): void => reports.changed([path]);

  measure();
  measure();
  transport.isOpen = true;
  reports.wake();
  expect(sent).toEqual(['1']);
  measure();
  expect(sent).toEqual(['1']);
  await device.acknowledge();
  expect(sent).toEqual(['1', '2']);
  await device.acknowledge();
  expect(sent).toEqual(['1', '2', '3']);
  await device.acknowledge();
  measure();
  expect(sent).toEqual(['1', '2', '3', '4']);
});

it('the earlier of the periods counts, also one that is written while a value waits', () => {
  const device = new TestDevice({});
  const { timers } = device;
  const reports = device.observed();
  expect(timers.waiting()).toEqual([]);

  device.nowMs = 1_000;
  device.attributes = { pmin: 10, pmax: 3_600 };
  reports.attributesChanged('/3306');
  expect(timers.waiting()).toEqual([]);
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([3_599_000]);
  reports.changed([path]);
  expect(timers.waiting()).toEqual([9_000]);
  device.attributes = { pmin: 20, pmax: 3_600 };
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([19_000]);
  device.attributes = { pmin: 4, pmax: 5 };
  reports.attributesChanged('/3303');
  expect(timers.waiting()).toEqual([3_000]);
  device.attributes = {};
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([0]);
});

it('a maximum period that is cleared or made longer ends the one before, also during a notification', async () => {
  const device = new TestDevice({ pmax: 60 });
  const { sent, timers } = device;
  const reports = device.observed();
  expect(timers.waiting()).toEqual([60_000]);
  device.attributes = { pmax: 3_600 };
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([3_600_000]);
  reports.changed([path]);
  expect([timers.waiting(), sent.length]).toEqual([[], 1]);
  device.attributes = {};
  reports.attributesChanged(path);
  await device.acknowledge();
  expect(timers.waiting()).toEqual([]);
  device.attributes = { pmax: 60 };
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([60_000]);
  device.attributes = {};
  reports.attributesChanged(path);
  expect(timers.waiting()).toEqual([]);
  device.attributes = { pmin: 60, pmax: 120 };
  device.nowMs = 60_000;
  reports.changed([path]);
  device.nowMs = 110_000;
  reports.attributesChanged(path);
  await device.acknowledge();
  expect(timers.waiting()).toEqual([120_000]);
});

it('a maximum period that ends while the device sleeps is over when it wakes, also with a threshold', () => {
  const device = new TestDevice({ gt: 100, pmax: 60 });
  const { sent, timers, transport } = device;
  device.queueMode = true;
  const reports = device.observed();
  expect(timers.waiting()).toEqual([60_000]);
  transport.isOpen = false;
  device.nowMs = 60_000;
  timers.runLast();
  expect([sent, timers.waiting()]).toEqual([[], []]);
  transport.isOpen = true;
  device.nowMs = 100_000;
  reports.wake();
  expect([sent, timers.waiting()]).toEqual([[], [0]]);
  timers.runLast();
  expect(sent).toEqual(['1']);
});

it('an observation of a resource that was deleted ends', async () => {
  const device = new TestDevice();
  const { sent, watches } = device;
  device.measured = false;
  device.values = () => [{ path, type: 'string', value: 'a' }];
  const reports = device.observed(contentFormat.text);
  const [watch] = watches;
  if (!watch) throw new Error('nothing is observed');
  const reported = reports.report(watch);
  await device.acknowledge();
  await reported;
  expect([sent.length, watches.size]).toEqual([1, 1]);
  device.values = () => [];
  await reports.report(watch);
  expect([sent.length, watches.size]).toEqual([1, 0]);
});

/** Rows about time and size: clocks that jump, and queues that are too long. */
import { sleep } from '../../tools/lanyard/project.ts';
import { eventually, type Experiment, type Row } from '../experiment.ts';

const hourMs = 3_600_000;

const jump = (experiment: Experiment) =>
  experiment.repeat(300, 1_000, async () => {
    const replica = experiment.victim();
    const sign = experiment.random.pick([-1, 1]);
    await experiment.fault(`clock ${sign > 0 ? '+' : '-'}1 h`, { times: 1 }, async () => {
      replica.shiftClock(sign * hourMs);
      await experiment.pause(500, 1_500);
      replica.shiftClock(0);
    });
  });

const clocks: Row = {
  name: 'F22',
  about: 'the clock of a dispatcher jumps an hour ahead or back, and right again; no polled channel is abandoned',
  seconds: 10,
  inject: jump,
};

const minuteMs = 60_000;

const clocksOfProducers: Row = {
  name: 'F22c',
  about:
    'the clocks of producers are minutes apart while tenants with new channels come: their first events are not lost',
  tenants: 1,
  seconds: 12,
  inject: async (experiment) => {
    const { system, random } = experiment;
    const shifts = [-10, -2, 3].map((minutes) => minutes * minuteMs);
    const producers = await Promise.all(shifts.map((shiftMs) => system.addProducer(shiftMs)));
    const setClocks = () => {
      for (const device of system.load.devices) device.producer ??= random.pick(producers);
    };
    setClocks();
    await experiment.repeat(500, 1_500, async () => {
      await experiment.fault('new channels, clocks minutes apart', {}, async () => {
        await system.addTenant(['callback', 'websocket', 'pull'], 4);
        setClocks();
      });
    });
  },
};

const queueBytesMax = 50_000_000;
const quietMs = 1_000;
const pollMs = 100;
/** Long enough for a busy machine: hundreds of megabytes are in Kafka that the dispatcher has not read yet. */
const queuedWithinMs = 120_000;
/** Events that are queued at a time. */
const portion = 100;

const stateOf = async (experiment: Experiment, name: string) => {
  const state = (await experiment.queueStates()).find(({ channel }) => channel === name);
  if (!state) throw new Error(`no channel ${name}`);
  return state;
};

/**
 * Resolves when every event that Kafka has is in the queue of a callback, or was, and no earlier request is in flight.
 * Nothing is dropped from then on, so events that arrive afterwards are newer than all dropped ones.
 */
const settle = async (experiment: Experiment, name: string) => {
  const events = [...experiment.history.events.values()];
  const stored = events.filter(({ channels, okAtMs }) => okAtMs !== undefined && channels.includes(name)).length;
  const isSettled = async () => {
    await sleep(pollMs);
    const { head, n, owner } = await stateOf(experiment, name);
    return head + n >= stored && owner === '';
  };
  if (!(await eventually(isSettled, queuedWithinMs))) experiment.violation('D1 events are missing in the queue');
  const channel = experiment.history.channels.get(name);
  if (channel) channel.droppedUntilMs = Date.now();
};

const overflow: Row = {
  name: 'D1',
  about: 'a queue of more than 50 MB: the oldest events go, each is counted',
  tenants: 1,
  kinds: ['callback'],
  devices: 6,
  perSecond: 150,
  seconds: 14,
  drops: true,
  // The callback is retried after up to 120 s.
  drainMs: 180_000,
  inject: async (experiment) => {
    const { system } = experiment;
    system.load.payloadBytesMax = 100_000;
    const [[name, receiver] = []] = system.callbacks;
    if (!name || !receiver) return;
    const isOver = async () => {
      await experiment.learnDrops();
      return experiment.dropped > 200;
    };
    await experiment.fault('receiver refuses until the queue overflows', {}, async () => {
      receiver.behaviour = 'fails';
      await eventually(isOver, 40_000);
    });
    await system.load.stop();
    await settle(experiment, name);
    await experiment.audit();
    const { bytes, dropped } = await stateOf(experiment, name);
    if (bytes > queueBytesMax || bytes < queueBytesMax - 1_000_000)
      experiment.violation(`I5 the queue holds ${bytes} bytes: not as much as fits into ${queueBytesMax}`);
    if (!dropped) experiment.violation('I5 nothing was dropped');
  },
};

/** Produces events for one channel, while there is no other load. Resolves when they are in its queue, or were. */
const fill = async (experiment: Experiment, name: string, count: number) => {
  const { load } = experiment.system;
  const devices = load.devices.filter(({ kind, channels }) => kind === 'values' && channels.includes(name));
  const before = await stateOf(experiment, name);
  for (let n = 0; n < count; n++) load.produce(experiment.random.pick(devices));
  const areQueued = async () => {
    await sleep(pollMs);
    const { head, n } = await stateOf(experiment, name);
    return head + n >= before.head + before.n + count;
  };
  if (!(await eventually(areQueued, queuedWithinMs))) experiment.violation('D1b events are missing in the queue');
};

const overflowUnderSocket: Row = {
  name: 'D1b',
  about:
    'a queue of more than 50 MB, with events on their way to a WebSocket: these arrive, what goes beside them is counted',
  tenants: 1,
  kinds: ['websocket'],
  devices: 6,
  perSecond: 150,
  seconds: 14,
  drops: true,
  inject: async (experiment) => {
    const { system, history } = experiment;
    system.load.payloadBytesMax = 100_000;
    const [[channel, receiver] = []] = system.sockets;
    if (!channel || !receiver) return;
    // The window of a socket, in messages, must be full before all events of the queue are on their way.
    const serialization = { max_chunk_size: 5, cfg: { include_uid: true } };
    await system.mustCall(channel, 'PUT', 'websocket', { serialization });
    const name = receiver.channel;
    await system.load.stop();
    // Events that have arrived but are not confirmed would be counted as dropped.
    if (!(await eventually(() => history.missing() === 0, queuedWithinMs))) experiment.violation('D1b is not quiet');
    await sleep(quietMs);
    await experiment.fault('no socket until the queue is nearly full', {}, async () => {
      receiver.stop();
      while ((await stateOf(experiment, name)).bytes < queueBytesMax - 6_000_000) await fill(experiment, name, portion);
    });
    // The events that were sent are the oldest, so they are dropped first: a part of them, or all of them and others.
    const share = experiment.random.pick([0.3, 0.6, 1.2]);
    await experiment.fault('a socket proves little until the queue overflows', {}, async () => {
      const before = history.deliveries.length;
      receiver.holdsPongs = true;
      receiver.restart();
      const sent = () => history.deliveries.slice(before);
      const isWindowFull = () => Date.now() - (sent().at(-1)?.atMs ?? Infinity) > quietMs;
      await eventually(isWindowFull, 10_000);
      const onTheirWay = sent().reduce((sum, { uids }) => sum + uids.length, 0);
      const { n, bytes } = await stateOf(experiment, name);
      await fill(experiment, name, Math.ceil((queueBytesMax - bytes) / (bytes / n) + share * onTheirWay));
      await experiment.learnDrops();
      if (experiment.dropped === 0) experiment.violation('D1b the queue did not overflow');
      // The socket has room for more, and finds its place after the lost events, before the remaining ones are confirmed.
      const batches = sent().length;
      receiver.releaseFirstPong();
      if (!(await eventually(() => sent().length > batches, 5_000))) experiment.violation('D1b the socket got no more');
      receiver.releasePongs();
    });
  },
};

export const limitRows = [clocks, clocksOfProducers, overflow, overflowUnderSocket];

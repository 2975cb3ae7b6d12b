/** Rows about time and size: clocks that jump, queues that are too long. */
import { eventually, sleep } from '../experiment.mjs';

/** @typedef {import('../experiment.mjs').Experiment} Experiment @typedef {import('../experiment.mjs').Row} Row */

const hourMs = 3_600_000;

/** @param {Experiment} experiment */
const jump = (experiment) =>
  experiment.repeat(
    async () => {
      const replica = experiment.victim();
      const sign = experiment.random.pick([-1, 1]);
      await experiment.fault(`clock ${sign > 0 ? '+' : '-'}1 h`, { times: 1 }, async () => {
        replica.shiftClock(sign * hourMs);
        await experiment.pause(500, 1_500);
        replica.shiftClock(0);
      });
    },
    300,
    1_000,
  );

/** @type {Row} */
const clocks = {
  name: 'F22',
  about: 'the clock of a dispatcher jumps an hour ahead or back, and right again',
  kinds: ['callback', 'websocket'],
  seconds: 10,
  inject: jump,
};

/** @type {Row} */
const clocksOfPolls = {
  name: 'F22b',
  about: 'the same with long polls: a channel that is polled is not taken for abandoned',
  kinds: ['pull', 'pull'],
  seconds: 10,
  inject: jump,
};

const queueBytesMax = 50_000_000;

/** @type {Row} */
const overflow = {
  name: 'D1',
  about: 'a queue of more than 50 MB: the oldest events go, each is counted',
  tenants: 1,
  kinds: ['callback'],
  devices: 6,
  perSecond: 150,
  seconds: 14,
  drops: true,
  inject: async (experiment) => {
    const { live } = experiment;
    live.load.payloadBytesMax = 100_000;
    const [receiver] = live.callbacks.values();
    const isOver = async () => {
      await experiment.learnDrops();
      return experiment.dropped > 200;
    };
    await experiment.fault('receiver refuses until the queue overflows', {}, async () => {
      if (receiver) receiver.behaviour = 'fails';
      await eventually(isOver, 40_000);
    });
    await live.load.stop();
    await sleep(2_000);
    await experiment.audit();
    const [page] = await experiment.pages();
    if (!page || page.bytes > queueBytesMax || page.bytes < queueBytesMax - 1_000_000)
      experiment.violation(`I5 the queue holds ${page?.bytes} bytes: not as much as fits into ${queueBytesMax}`);
    if (!page?.dropped) experiment.violation('I5 nothing was dropped');
  },
};

const quietMs = 1_000;
const underSocketPerSecond = 150;

/** @type {Row} */
const overflowUnderSocket = {
  name: 'D1b',
  about:
    'a queue of more than 50 MB, with events on their way to a WebSocket: these arrive, what goes beside them is counted',
  tenants: 1,
  kinds: ['websocket'],
  devices: 6,
  perSecond: underSocketPerSecond,
  seconds: 14,
  drops: true,
  inject: async (experiment) => {
    const { live, history } = experiment;
    live.load.payloadBytesMax = 100_000;
    const [[channel, receiver] = []] = live.sockets;
    if (!channel || !receiver) return;
    const serialization = { max_chunk_size: 40, cfg: { include_uid: true } };
    await live.mustCall(channel, 'PUT', 'websocket', { serialization });
    await experiment.fault('no socket until the queue is nearly full', { times: 1 }, async () => {
      receiver.stop();
      const isNearlyFull = async () =>
        (await experiment.pages()).some(({ bytes }) => bytes > queueBytesMax - 6_000_000);
      if (!(await eventually(isNearlyFull, 40_000))) experiment.violation('D1b the queue did not fill');
      await live.load.stop();
    });
    // What was sent is the oldest, so it goes first: a part of it, or all of it and others.
    const share = experiment.random.pick([0, 1]);
    await experiment.fault('a socket proves nothing until the queue overflows', {}, async () => {
      const before = history.deliveries.length;
      receiver.holdsPongs = true;
      receiver.restart();
      const sent = () => history.deliveries.slice(before);
      const isWindowFull = () => Date.now() - (sent().at(-1)?.atMs ?? Infinity) > quietMs;
      await eventually(isWindowFull, 3_000);
      live.load.start(underSocketPerSecond);
      const onTheirWay = sent().reduce((sum, { uids }) => sum + uids.length, 0);
      const isOver = async () => {
        await experiment.learnDrops();
        return experiment.dropped > share * onTheirWay;
      };
      if (!(await eventually(isOver, 5_000))) experiment.violation('D1b the queue did not overflow');
      await live.load.stop();
      await sleep(quietMs);
      receiver.releasePongs();
    });
  },
};

export const limitRows = [clocks, clocksOfPolls, overflow, overflowUnderSocket];

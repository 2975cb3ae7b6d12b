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

export const limitRows = [clocks, clocksOfPolls, overflow];

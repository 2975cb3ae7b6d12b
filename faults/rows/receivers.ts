/** Rows in which the customers' receivers misbehave. */
import { sleep } from '../../tools/lanyard/project.ts';
import { eventually, type Experiment, type Row } from '../experiment.ts';
import type { SocketReceiver } from '../receivers/socket-receiver.ts';

const waitsMs = [1_000, 2_000, 4_000, 8_000];

/** How late half of the attempts may be: dispatchers check ready queues every 100 ms. */
const toleranceMs = 200;

/** A busy machine delays single attempts. */
const outlierMs = 3_000;

/** I7: after each failure in a row, the next attempt follows the schedule, neither too early nor late. */
const checkSchedule = (experiment: Experiment) => {
  const late: number[][] = waitsMs.map(() => []);
  for (const { attempts, channel } of experiment.system.callbacks.values()) {
    let failures = 0;
    attempts.forEach(({ answer, endedAtMs }, n) => {
      failures = answer === 'accepted' ? 0 : failures + 1;
      const next = attempts[n + 1];
      const expected = waitsMs[failures - 1];
      if (!next || expected === undefined) return;
      const waited = Math.round(next.beganAtMs - endedAtMs);
      late[failures - 1]?.push(waited - expected);
      if (waited < expected * 0.9 || waited > expected * 1.1 + outlierMs)
        experiment.violation(`I7 ${channel}: ${waited} ms after failure ${failures} in a row, not ${expected}`);
    });
  }
  waitsMs.forEach((expected, n) => {
    const sorted = (late[n] ?? []).sort((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    if (median > expected * 0.1 + toleranceMs)
      experiment.violation(
        `I7 half of the attempts after ${n + 1} failures came ${median} ms later than ${expected} ms`,
      );
  });
};

const refusals = ['fails', 'isBusy', 'redirects', 'answers201', 'resets', 'dies'];

const refusing: Row = {
  name: 'F18',
  about:
    'callbacks answer 500, 503, 301, 201 or reset, one to three times in a row: retried after 1, 2, 4 s, others unaffected',
  tenants: 3,
  kinds: ['callback', 'callback', 'websocket'],
  seconds: 9,
  inject: async (experiment) => {
    const receivers = [...experiment.system.callbacks.values()];
    await Promise.all(
      receivers.slice(1).map((receiver) =>
        experiment.repeat(50, 300, async () => {
          const streak = experiment.random.int(1, 3);
          await experiment.fault('refuses', {}, async () => {
            const begun = receiver.attempts.length;
            receiver.misbehave(experiment.random.pick(refusals), streak);
            await eventually(() => receiver.attempts.slice(begun).some(({ answer }) => answer === 'accepted'), 15_000);
          });
        }),
      ),
    );
  },
  after: async (experiment) => checkSchedule(experiment),
};

const hanging: Row = {
  name: 'F18b',
  about: 'callbacks hang, drip, answer late, flood: 20 s for everything together; others continue',
  tenants: 3,
  kinds: ['callback', 'callback'],
  seconds: 24,
  perSecond: 150,
  inject: async (experiment) => {
    const [healthy, ...others] = [...experiment.system.callbacks.values()];
    const { deliveries } = experiment.history;
    const habits = ['hangs', 'drips', 'late', 'floods', 'hangs'];
    others.forEach((receiver, n) => {
      void experiment.fault(habits[n] ?? 'hangs', {}, async () => receiver.misbehave(habits[n] ?? 'hangs'));
    });
    while (!experiment.isOver) {
      const before = deliveries.length;
      await sleep(3_000);
      if (!deliveries.slice(before).some(({ channel }) => channel === healthy?.channel))
        experiment.violation('F18b a healthy channel got nothing for 3 s while others hung');
    }
  },
  after: async (experiment) => {
    const slow = [...experiment.system.callbacks.values()].flatMap(({ attempts }) => attempts);
    const ended = slow.filter(({ behaviour }) => behaviour === 'hangs' || behaviour === 'drips');
    if (ended.length < 3) experiment.violation(`F18b only ${ended.length} of 3 requests that hung were seen`);
    for (const { behaviour, beganAtMs, endedAtMs } of ended) {
      const took = Math.round(endedAtMs - beganAtMs);
      if (took < 19_000 || took > 22_000)
        experiment.violation(`I7 a request that ${behaviour} ended after ${took} ms, not 20 s`);
    }
  },
};

const dying: Row = {
  name: 'F19',
  about: 'callbacks have a batch and die before they say so, or hang up before they have it',
  tenants: 3,
  kinds: ['callback', 'callback', 'callback'],
  seconds: 9,
  inject: async (experiment) => {
    await experiment.repeat(50, 400, async () => {
      const receiver = experiment.random.pick([...experiment.system.callbacks.values()]);
      await experiment.fault('dies', {}, async () => {
        if (experiment.random.chance(0.7)) receiver.misbehave('dies');
        else receiver.hangUps = 1;
      });
    });
  },
};

const sockets: Row = {
  name: 'F20',
  about: 'WebSockets are cut, stop reading, answer no ping, are replaced by a second one',
  tenants: 3,
  kinds: ['websocket', 'websocket'],
  seconds: 14,
  inject: (experiment) =>
    experiment.repeat(50, 500, async (n) => {
      const all = [...experiment.system.sockets.values()];
      const socket = experiment.random.pick(all.slice(1));
      const what =
        n === 0
          ? 'no pong'
          : experiment.random.pick(['cut', 'cut', 'stops reading', 'stops reading, is cut', 'second']);
      await experiment.fault(`socket: ${what}`, { times: 1 }, () =>
        disturb(experiment, what, what === 'no pong' ? all[0] : socket),
      );
    }),
  after: async (experiment) => {
    const [deaf, quiet] = experiment.system.sockets.values();
    if (!deaf?.closed.includes(1001))
      experiment.violation('F20 a socket that answered no ping was not closed with 1001');
    // While events flow, the first socket notices by itself that it was replaced.
    await disturb(experiment, 'second', quiet);
  },
};

const disturb = async (experiment: Experiment, what: string, socket: SocketReceiver | undefined) => {
  if (!socket) return;
  await eventually(() => socket.isOpen, 5_000);
  if (what === 'cut') return socket.cut();
  if (what === 'no pong') {
    socket.answersPings = false;
    return socket.cut();
  }
  if (what.startsWith('stops reading')) {
    socket.pause();
    await experiment.pause(300, 1_500);
    // Messages in flight to this socket are lost with it.
    return what === 'stops reading' ? socket.resume() : socket.cut();
  }
  const before = socket.closed.length;
  socket.connect();
  const replaced = await eventually(() => socket.closed.length > before && socket.isOpen, 5_000);
  if (!replaced || !socket.closed.slice(before).includes(1001))
    experiment.violation(
      `F20 a second socket: the first was closed with ${socket.closed.slice(before).join() || 'nothing'}, not 1001`,
    );
};

const impatient: Row = {
  name: 'F20b',
  about: 'long polls are broken off while they wait and while their answer comes',
  tenants: 2,
  kinds: ['pull', 'pull', 'pull'],
  seconds: 9,
  inject: (experiment) =>
    experiment.repeat(10, 120, async () => {
      const pull = experiment.random.pick([...experiment.system.pulls.values()]);
      await experiment.fault('poll broken off', { times: 1 }, async () => pull.breakOff());
    }),
};

export const receiverRows = [refusing, hanging, dying, sockets, impatient];

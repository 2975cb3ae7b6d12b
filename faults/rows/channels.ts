/** Rows in which channels, keys and names change during delivery. */
import { sleep } from '../../tools/lanyard/project.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type Experiment, type Row } from '../experiment.ts';

/** Deletes the channel with a call; nothing may arrive after the answer. */
const deleteChannel = async (experiment: Experiment, name: string) => {
  const { system, history } = experiment;
  const kind = history.channels.get(name)?.kind ?? 'callback';
  const pull = system.pulls.get(name);
  // Stops polling, because the next poll would create a new channel.
  if (pull) pull.isStopped = true;
  await system.mustCall(name, 'DELETE', kind);
  if (pull) {
    if (!(await eventually(() => pull.isOver, 5_000))) experiment.violation('F23 a poll outlives its channel');
    // A poll in flight arrived after the first call, and created the channel again.
    await system.mustCall(name, 'DELETE', kind);
  }
  history.end(name);
  system.sockets.get(name)?.stop();
};

/** Deletes its key, as the gateway announces it. */
const deleteKey = async (experiment: Experiment, name: string) => {
  const { system, history } = experiment;
  const customer = system.customers.get(name);
  const pull = system.pulls.get(name);
  if (pull) pull.isStopped = true;
  await customer?.announce(system.producer, { status: 'deleted' });
  const gone = async () => (await system.call(name, 'GET', 'channel')).status === 404;
  if (!(await eventually(gone, 10_000)))
    experiment.violation('F23 the channel of a deleted key is still there after 10 s');
  history.end(name);
  const socket = system.sockets.get(name);
  if (!socket) return;
  await eventually(() => socket.closed.length > 0, 2_000);
  if (!socket.closed.some((code) => code === 1008 || code === 1001))
    experiment.violation(`F23 key deleted: socket closed with ${socket.closed.join()}, not 1008 or 1001`);
  socket.stop();
};

/** Switches the channel off and on again: the socket is closed, queued events stay. */
const switchOff = async (experiment: Experiment, name: string) => {
  const { system } = experiment;
  const [customer, socket] = [system.customers.get(name), system.sockets.get(name)];
  if (!customer || !socket) return;
  await eventually(() => socket.isOpen, 3_000);
  const before = socket.closed.length;
  await customer.announce(system.producer, { status: 'inactive' });
  if (!(await eventually(() => socket.closed.slice(before).includes(1008), 5_000)))
    experiment.violation('F23 key switched off: its socket was not closed with 1008');
  await sleep(500);
  await customer.announce(system.producer);
};

/** Changes batch sizes and formats; the events stay the same. */
const configure = async ({ system, random }: Experiment, name: string) => {
  const callback = system.callbacks.get(name);
  const cfg = { include_uid: true, include_timestamp: random.chance(0.5) };
  const serialization = { max_chunk_size: random.int(1, 500), cfg };
  if (callback) await system.mustCall(name, 'PUT', 'callback', { url: callback.url, serialization });
  else await system.mustCall(name, 'PUT', 'websocket', { serialization });
};

const changing: Row = {
  name: 'F23',
  about: 'channels are deleted and configured again, keys deleted and switched off, during delivery',
  tenants: 4,
  kinds: ['callback', 'websocket', 'callback', 'pull'],
  devices: 6,
  seconds: 9,
  inject: async (experiment) => {
    const { random } = experiment;
    const [first, second, third, ...rest] = [...experiment.history.channels.values()].filter(
      ({ kind }) => kind !== 'pull',
    );
    const pulls = experiment.channelsOf('pull');
    const doomed = [first?.name, second?.name, third?.name, rest.at(-1)?.name, pulls[0]].flatMap((name) => name ?? []);
    const alive = rest.slice(0, -1).map(({ name }) => name);
    await experiment.repeat(50, 500, async (n) => {
      const victim = n % 2 === 0 ? doomed.shift() : undefined;
      if (victim) {
        const byCall = random.chance(0.6);
        await experiment.fault(byCall ? 'channel deleted' : 'key deleted', { times: 1 }, () =>
          (byCall ? deleteChannel : deleteKey)(experiment, victim),
        );
        return;
      }
      const name = random.pick(alive);
      const isSocket = experiment.system.sockets.has(name);
      const off = isSocket && random.chance(0.4);
      await experiment.fault(off ? 'key switched off' : 'configured', { times: off ? 1 : 0 }, () =>
        (off ? switchOff : configure)(experiment, name),
      );
    });
  },
};

/**
 * Sets the address of the receiver's name, in a file that the replicas read.
 * @param address '' for none
 */
const resolveTo = (experiment: Experiment, address: string) =>
  writeFileSync(join(experiment.system.options.folder, 'names'), address);

const names: Row = {
  name: 'F21',
  about: 'the name of a callback cannot be resolved, or leads to a private address: refused, tried again, nothing lost',
  tenants: 1,
  kinds: ['callback', 'callback', 'websocket'],
  withNames: true,
  seconds: 9,
  inject: async (experiment) => {
    const { system } = experiment;
    const [name = ''] = experiment.channelsOf('callback');
    const receiver = system.callbacks.get(name);
    if (!receiver) return;
    resolveTo(experiment, '127.0.0.1');
    const url = receiver.url.replace('127.0.0.1', 'receiver.example');
    await system.mustCall(name, 'PUT', 'callback', { url, serialization: { cfg: { include_uid: true } } });
    await experiment.repeat(100, 400, async () => {
      const address = experiment.random.pick(['', '10.0.0.1', '169.254.169.254']);
      await experiment.fault(`name leads to ${address || 'nothing'}`, { times: 1 }, async () => {
        resolveTo(experiment, address);
        await sleep(200);
        // Names are resolved when connections are made, and each dispatcher has an open one.
        receiver.cut();
        await sleep(200);
        const before = receiver.attempts.length;
        await experiment.pause(500, 2_000);
        if (receiver.attempts.length > before)
          experiment.violation(`F21 a request came although the name led to ${address || 'nothing'}`);
        resolveTo(experiment, '127.0.0.1');
        await eventually(() => receiver.attempts.length > before, 10_000);
      });
    });
  },
};

export const channelRows = [changing, names];

import { expect, it } from '@jest/globals';
import type { CounterAudit } from './counter-audit.ts';
import { Experiment } from './experiment.ts';
import type { Infrastructure } from './infrastructure.ts';

const newExperiment = () =>
  new Experiment({
    row: { name: 'planted', about: '', inject: async () => undefined },
    seed: 1,
    folder: '',
    program: '',
    infrastructure: {} as Infrastructure,
    say: () => undefined,
  });

it('a channel whose queue is not in Redis at the end is a violation, unless the channel has ended', async () => {
  const experiment = newExperiment();
  for (const name of ['kept', 'lost', 'ended']) experiment.history.addChannel({ name, kind: 'pull', tenant: 'one' });
  experiment.history.end('ended');
  const states = [{ channel: 'kept', kind: 'pull', n: 0, owner: '' }];
  experiment.counters = { read: async () => states } as unknown as CounterAudit;
  expect(await experiment.leftOver()).toEqual(['I9 pull lost: Redis has no queue of it']);
});

it('a fault that did not happen is no injection', async () => {
  const experiment = newExperiment();
  await experiment.fault('nothing matched', {}, async () => false);
  await experiment.fault('killed', {}, async () => undefined);
  expect([experiment.tried, experiment.injections]).toEqual([2, 1]);
});

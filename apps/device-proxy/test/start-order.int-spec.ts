import { ModulesContainer } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from './harness.js';
import type { RunningProxy } from './running-proxy.js';

/** Nest starts modules that are further from the root first, and stops them last. */
describe('the order of start and stop', () => {
  let harness: Harness;
  let proxy: RunningProxy;

  beforeAll(async () => {
    harness = await Harness.create('start-order');
    proxy = await harness.proxy('dp-0');
  });
  afterAll(() => harness.close());

  const modules = () => [...proxy.app.get(ModulesContainer).values()].filter(({ isGlobal }) => !isGlobal);
  const withHook = (hook: string) =>
    modules().filter((module) =>
      [...module.providers.values()].some(
        ({ instance }) => typeof (instance as Record<string, unknown> | undefined)?.[hook] === 'function',
      ),
    );
  /** Of those with the hook, the module that is nearest to the root. */
  const nearest = (hook: string) => {
    const [first, second] = withHook(hook).sort((a, b) => a.distance - b.distance);
    return { name: first?.name, isOnlyOne: first?.distance !== second?.distance };
  };

  it('follows the imports: a module starts after those that it imports', () => {
    const wrong = modules().flatMap((module) =>
      [...module.imports]
        .filter((imported) => !imported.isGlobal && imported.distance <= module.distance)
        .map((imported) => `${module.name} imports ${imported.name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('opens the listeners for devices when everything else runs, and closes them first', () => {
    expect(nearest('onApplicationBootstrap')).toEqual({ name: 'UplinkModule', isOnlyOne: true });
    expect(nearest('beforeApplicationShutdown')).toEqual({ name: 'UplinkModule', isOnlyOne: true });
  });

  it('restores sessions when all state has been read and nudges arrive', () => {
    const order = withHook('onModuleInit').sort((a, b) => b.distance - a.distance);
    const expected = ['StateModule', 'SessionsModule', 'InterestModule'];
    expect(order.map(({ name }) => name).filter((name) => expected.includes(name))).toEqual(expected);
  });

  it('ends with the reason when a port is taken, and closes what was open', async () => {
    const taken = harness.proxy('dp-1', { coapPort: proxy.coapPort, tcp: true });
    await expect(taken).rejects.toThrow('EADDRINUSE');
  });
});

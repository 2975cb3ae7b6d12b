import { ModulesContainer } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestSystem } from './test-system.js';
import type { RunningProxy } from './running-proxy.js';

/** Nest starts modules that are further from the root first, and stops them last. */
describe('the order of start and stop', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('start-order');
    proxy = await system.proxy('dp-0');
  });
  afterAll(() => system.close());

  /** Of the modules that are not global, in the order of their start: Nest sorts by distance, and keeps the order of equal ones. */
  const started = () =>
    [...proxy.app.get(ModulesContainer).values()]
      .filter(({ isGlobal }) => !isGlobal)
      .sort((a, b) => b.distance - a.distance);
  const withHook = (hook: string): string[] =>
    started()
      .filter((module) =>
        [...module.providers.values()].some(
          ({ instance }) => typeof (instance as Record<string, unknown> | undefined)?.[hook] === 'function',
        ),
      )
      .map(({ name }) => name);

  it('follows the imports: a module starts after those that it imports', () => {
    const modules = started();
    const wrong = modules.flatMap((module, place) =>
      [...module.imports]
        .filter((imported) => modules.indexOf(imported) > place)
        .map((imported) => `${module.name} imports ${imported.name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('opens the listeners for devices when everything else runs, and closes them first', () => {
    expect(withHook('onApplicationBootstrap').at(-1)).toBe('UplinkModule');
    expect(withHook('beforeApplicationShutdown').at(-1)).toBe('UplinkModule');
  });

  it('restores sessions when all state has been read and wake-ups arrive', () => {
    const expected = ['StateModule', 'SessionsModule', 'InterestModule'];
    expect(withHook('onModuleInit').filter((name) => expected.includes(name))).toEqual(expected);
  });

  it('ends with the reason when a port is taken, and closes what was open', async () => {
    const taken = system.proxy('dp-1', { coapPort: proxy.coapPort, tcp: true });
    await expect(taken).rejects.toThrow('EADDRINUSE');
  });
});

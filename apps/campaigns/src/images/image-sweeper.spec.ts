import { expect, it } from '@jest/globals';
import { createLogger, newId, systemClock } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { PackageStore } from '../packages/package-store.js';
import { ImageSweeper } from './image-sweeper.js';

/** Takes a step when the test says so. */
class SteppedSweeper extends ImageSweeper {
  takeStep(): Promise<void> {
    return this.step();
  }
}

it('removes the bytes without a record, also those behind some that cannot be removed', async () => {
  const [first, stuck, last] = [newId(), newId(), newId()];
  const removed: string[] = [];
  const packages = {
    async *idsBefore() {
      yield [first, stuck, last];
    },
    remove: (id: string): Promise<unknown> =>
      id === stuck ? Promise.reject(new Error('EACCES')) : Promise.resolve(removed.push(id)),
  } as unknown as PackageStore;
  const database = { query: () => Promise.resolve([]) } as unknown as DataSource;
  const logger = createLogger({ app: 'campaigns', replicaId: 'test', level: 'silent' });
  const sweeper = Object.assign(new SteppedSweeper(database, packages), { clock: systemClock, logger });
  await sweeper.takeStep();
  expect(removed).toEqual([first, last]);
});

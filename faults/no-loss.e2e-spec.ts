import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { infrastructure, isLongRun } from '@lanyard/testing';
import { bugs } from './bugs.ts';
import { Matrix } from './matrix.ts';
import { rows } from './rows.ts';

/** A few rows of the fault matrix for a few seconds each; `npm run test:faults` runs all of it, see docs/faults.md. */
describe('the dispatcher loses nothing', () => {
  const wanted = isLongRun ? ['F1', 'F4', 'F11', 'F18'] : ['F1', 'F4'];
  const planted = isLongRun ? ['removed-before-sent', 'no-account-check'] : ['removed-before-sent'];
  let matrix: Matrix;

  beforeAll(async () => {
    const { brokers, databaseUrl } = infrastructure();
    matrix = await Matrix.start({ parallel: 3, seconds: 5, shared: { brokers, databaseUrl }, say: () => undefined });
  });

  afterAll(() => matrix?.stop());

  it('when dispatchers and Redis are killed, lines are cut, callbacks refuse', async () => {
    const outcomes = await matrix.run(
      rows.filter(({ name }) => wanted.includes(name)),
      [1],
    );
    expect(outcomes.map(({ row, violations }) => [row, violations])).toEqual(wanted.map((row) => [row, []]));
    for (const { injections, produced } of outcomes) expect(Math.min(injections, produced)).toBeGreaterThan(0);
  });

  it('and a dispatcher with a bug is found out', async () => {
    const outcomes = await matrix.runBugs(
      bugs.filter(({ name }) => planted.includes(name)),
      1,
    );
    expect(outcomes.filter(({ caught }) => !caught)).toEqual([]);
    expect(outcomes).toHaveLength(planted.length);
  });
});

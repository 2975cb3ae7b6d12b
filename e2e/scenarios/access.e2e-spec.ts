import { afterAll, beforeAll, describe } from '@jest/globals';
import { accessMatrix } from '../access/matrix.ts';
import { badInput } from '../access/bad-input.ts';
import { spellings } from '../access/spellings.ts';
import { type RunningSystem, startSystem } from '../system.ts';

/** The load comes from a few keys and one address. */
const rates = ['KEY', 'ACCOUNT'].flatMap((name) => [`GATEWAY_${name}_RATE_PER_SECOND`, `GATEWAY_${name}_RATE_BURST`]);

describe('access to every operation', () => {
  let system: RunningSystem;
  const running = (): RunningSystem => system;

  beforeAll(async () => {
    const names = [...rates, 'GATEWAY_UNAUTHENTICATED_RATE_BURST'];
    const unlimited = Object.fromEntries(names.map((name) => [name, '1000000']));
    system = await startSystem('access', { env: unlimited });
  });

  afterAll(() => system?.stop());

  describe('bad input', () => badInput(running));
  describe('operation x group, operation x tenant', () => accessMatrix(running));
  describe('every spelling of every operation', () => spellings(running));
});

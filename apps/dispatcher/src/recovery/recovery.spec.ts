import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { Repair } from '../channels/repair.js';
import type { IntakeGate } from '../intake/intake-gate.js';
import type { RedisLinks } from '../queue/redis-links.js';
import { Holders } from '../replicas/holders.js';
import type { Replicas } from '../replicas/replicas.js';
import { Recovery } from './recovery.js';

describe('recovery', () => {
  it('a connection that breaks during the first one: it is tried again, and the intake opens', async () => {
    const links = { eras: '0', onLost: () => undefined, onBack: () => undefined };
    let repairs = 0;
    let opened = 0;
    const repair = { run: async () => void (repairs++ === 0 && (links.eras = '1')) };
    const gate = { generations: async () => [], open: () => void opened++, onPositionsLost: () => undefined };
    const recovery = new Recovery(
      links as unknown as RedisLinks,
      repair as unknown as Repair,
      gate as unknown as IntakeGate,
      new Holders(),
      {} as Replicas,
      new TestClock(),
      createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    );
    await recovery.onModuleInit();
    expect([repairs, opened]).toEqual([2, 1]);
  });
});

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
    const repair = {
      run: async () => {
        if (repairs++ === 0) links.eras = '1';
        return true;
      },
    };
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

  describe('while Redis is full and does not take a channel', () => {
    /** Redis loses its connections, and has them back. */
    const listeners: Record<'lost' | 'back', () => void> = { lost: () => undefined, back: () => undefined };
    const links = {
      eras: '0',
      onLost: (listener: () => void) => void (listeners.lost = listener),
      onBack: (listener: () => void) => void (listeners.back = listener),
    };
    const fullRetryDelayMs = 2_000;

    const started = async () => {
      const holders = new Holders();
      const clock = new TestClock();
      const seen = { isFull: true, isOpen: false, released: 0 };
      const repair = { run: async () => !seen.isFull };
      const gate = {
        generations: async () => [],
        open: () => void (seen.isOpen = true),
        close: () => void (seen.isOpen = false),
        onPositionsLost: () => undefined,
      };
      const replicas = { releaseHeld: async () => void seen.released++ };
      const recovery = new Recovery(
        links as unknown as RedisLinks,
        repair as unknown as Repair,
        gate as unknown as IntakeGate,
        holders,
        replicas as unknown as Replicas,
        clock,
        createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
      );
      await recovery.onModuleInit();
      await clock.advance(0);
      return { seen, holders, clock };
    };

    it('the replica starts and delivers, and the intake opens when there is room', async () => {
      const { seen, holders, clock } = await started();
      await clock.advance(5 * fullRetryDelayMs);
      expect([seen.isOpen, holders.areSuspended, seen.released]).toEqual([false, false, 1]);
      seen.isFull = false;
      await clock.advance(fullRetryDelayMs);
      expect([seen.isOpen, holders.areSuspended, seen.released]).toEqual([true, false, 1]);
    });

    it('a loss of Redis makes void what is held, once more', async () => {
      const { seen, holders, clock } = await started();
      listeners.lost();
      links.eras = '1';
      expect(holders.areSuspended).toBe(true);
      listeners.back();
      await clock.advance(fullRetryDelayMs);
      expect([seen.isOpen, holders.areSuspended, seen.released]).toEqual([false, false, 2]);
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { Code, type CoapRequest, peerOf } from '@lanyard/coap';
import { createLogger, Metrics } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { AdmissionControl } from './admission-control.js';
import { RetryLater } from './retry-later.js';
import { UplinkBridge } from './uplink-bridge.js';
import type { UplinkReply } from './uplink-request.js';

const sender = { accountId: 'a'.repeat(32) };

const request = (...path: string[]): CoapRequest => ({
  method: Code.POST,
  path,
  query: [],
  etags: [],
  payload: Buffer.alloc(0),
  peer: peerOf('127.0.0.1', 5683),
  token: Buffer.alloc(1),
  confirmable: true,
});

/** Replaces the random numbers. */
class Decided extends AdmissionControl {
  constructor(
    requestsInFlightMax: number,
    metrics: Metrics,
    private readonly decide: () => number = () => 0.5,
    clock = new TestClock(),
  ) {
    super({ requestsInFlightMax }, clock, metrics);
  }

  protected override random(): number {
    return this.decide();
  }
}

/** A service that answers only when told to. */
const overloaded = (inFlightMax: number, clock = new TestClock()) => {
  const metrics = new Metrics('device-proxy', 'test');
  const admissionControl = new Decided(inFlightMax, metrics, () => 0.5, clock);
  const bridge = new UplinkBridge(admissionControl, createLogger({ app: 'test', replicaId: 'test', level: 'silent' }));
  const waiting: ((reply: UplinkReply) => void)[] = [];
  bridge.onRequest(() => new Promise((answer) => waiting.push(answer)));
  return {
    metrics,
    waiting,
    handle: (...path: string[]) => bridge.handle(request(...path), sender, '127.0.0.1:5683'),
    answerAll: () => {
      for (const answer of waiting.splice(0)) answer({ code: '2.04' });
    },
  };
};

describe('more requests than can be answered', () => {
  it('are refused at once, new registrations first, and taken again when there is room', async () => {
    const { handle, answerAll, metrics, waiting } = overloaded(4);
    const registrations = [handle('rd'), handle('rd'), handle('rd')];
    expect(await registrations[2]).toEqual({ code: Code.ServiceUnavailable, maxAgeSeconds: 2 });
    const updates = [handle('rd', '1'), handle('dp'), handle('rd', '2')];
    expect((await updates[2])?.code).toBe(Code.ServiceUnavailable);
    expect(waiting).toHaveLength(4);
    const page = await metrics.registry.metrics();
    expect(page).toMatch(/requests_refused_total\{kind="registration",.*\} 1/);
    expect(page).toMatch(/requests_refused_total\{kind="other",.*\} 1/);
    expect(page).toMatch(/requests_in_flight\{.*\} 4/);

    answerAll();
    expect(
      (await Promise.all([registrations[0], registrations[1], updates[0], updates[1]])).map((r) => r?.code),
    ).toEqual(Array(4).fill(Code.Changed));
    const later = handle('rd');
    answerAll();
    expect((await later).code).toBe(Code.Changed);
  });

  it('come back one after the other, and at any time where that would take long', async () => {
    const clock = new TestClock();
    const { handle } = overloaded(2, clock);
    void handle('rd');
    const pauses = async (count: number): Promise<(number | undefined)[]> =>
      (await Promise.all(Array.from({ length: count }, () => handle('rd')))).map(({ maxAgeSeconds }) => maxAgeSeconds);
    const first = await pauses(401);
    expect([first[0], first[1], first[200], first[201], first[400]]).toEqual([2, 3, 3, 4, 4]);
    const later = await pauses(6_000);
    expect([later[0], Math.max(...later.map(Number)), later.at(-1)]).toEqual([5, 30, 18]);
    await clock.advance(60_000);
    expect(await pauses(1)).toEqual([2]);
    clock.adjust(-3_600_000);
    expect(await pauses(2)).toEqual([2, 3]);
  });

  it.each([
    ['soon where too many devices came at once', { isBurst: true }, 2],
    ['later where something is away', {}, 18],
  ])('and those that cannot be answered come back %s', async (_, options, seconds) => {
    const admissionControl = new Decided(2, new Metrics('device-proxy', 'test'));
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const bridge = new UplinkBridge(admissionControl, logger);
    bridge.onRequest(() => Promise.reject(new RetryLater('for a test', options)));
    expect((await bridge.handle(request('rd'), sender, 'x')).maxAgeSeconds).toBe(seconds);
  });

  it('and those that fail leave room too', async () => {
    const admissionControl = new Decided(2, new Metrics('device-proxy', 'test'), () => 0);
    const bridge = new UplinkBridge(
      admissionControl,
      createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    );
    bridge.onRequest(() => Promise.reject(new Error('Kafka is away')));
    for (let n = 0; n < 5; n++)
      expect(await bridge.handle(request('rd'), sender, 'x')).toEqual({
        code: Code.ServiceUnavailable,
        maxAgeSeconds: 5,
      });
  });
});

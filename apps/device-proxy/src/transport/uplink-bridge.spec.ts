import { describe, expect, it } from '@jest/globals';
import { Code, type CoapRequest, peerOf } from '@lanyard/coap';
import { createLogger, Metrics } from '@lanyard/service';
import { AdmissionControl } from './admission-control.js';
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
    private readonly decide: () => number,
  ) {
    super({ requestsInFlightMax }, metrics);
  }

  protected override random(): number {
    return this.decide();
  }
}

/** A service that answers only when told to. */
const overloaded = (inFlightMax: number, random: () => number) => {
  const metrics = new Metrics('device-proxy', 'test');
  const admissionControl = new Decided(inFlightMax, metrics, random);
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
    const { handle, answerAll, metrics, waiting } = overloaded(4, () => 0.5);
    const registrations = [handle('rd'), handle('rd'), handle('rd')];
    expect(await registrations[2]).toEqual({ code: Code.ServiceUnavailable, maxAgeSeconds: 18 });
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

  it('come back at different times', async () => {
    const pauses: (number | undefined)[] = [];
    for (const random of [0, 0.5, 0.999]) {
      const { handle } = overloaded(2, () => random);
      void handle('rd');
      pauses.push((await handle('rd')).maxAgeSeconds);
    }
    expect(pauses).toEqual([5, 18, 30]);
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

import { beforeEach, describe, expect, it } from '@jest/globals';
import { check } from './checker.ts';
import { excuses, History } from './history.ts';
import { payloadOf } from './notification.ts';

const device = 'd'.repeat(32);

const message = (uids: string[], ep = device): string =>
  JSON.stringify({ notifications: uids.map((uid) => ({ ep, uid, payload: payloadOf(uid) })) });

describe('the checker', () => {
  let history: History;
  let clock: number;

  /** Events 0 to `count`, acknowledged, for channel c. */
  const produce = (count: number, channels = ['c']): string[] =>
    Array.from({ length: count }, (_, sequence) => {
      const uid = `e${history.events.size}`;
      history.invoke({ uid, device, sequence, channels, invokedAtMs: clock });
      history.ok(uid, clock + 1);
      return uid;
    });

  const deliver = (uids: string[], answer: 'accepted' | 'refused' = 'accepted', channel = 'c'): void =>
    history.deliver(channel, message(uids), answer, (clock += 10_000));

  beforeEach(() => {
    clock = 1_000_000;
    history = new History();
    history.addChannel({ name: 'c', kind: 'callback', tenant: 'a' });
    history.addChannel({ name: 'other', kind: 'callback', tenant: 'b' });
  });

  it('is content when everything came once, in order', () => {
    const [a = '', b = '', c = ''] = produce(3);
    deliver([a, b]);
    deliver([c]);
    expect(check(history)).toMatchObject({ produced: 3, delivered: 3, duplicates: 0, lost: 0, violations: [] });
    expect(history.missing()).toBe(0);
  });

  it('finds what is lost', () => {
    const [a = '', b = '', c = ''] = produce(3);
    deliver([a, c]);
    expect(check(history)).toMatchObject({ lost: 1, violations: [expect.stringMatching(new RegExp(`^I1 .*${b}`))] });
    expect(history.missing()).toBe(1);
  });

  it('does not take what the receiver refused for delivered', () => {
    const [a = ''] = produce(1);
    deliver([a], 'refused');
    expect(check(history)).toMatchObject({ delivered: 0, lost: 1 });
  });

  it('asks nothing of what Kafka did not acknowledge, and takes it when it comes', () => {
    history.invoke({ uid: 'maybe', device, sequence: 0, channels: ['c'], invokedAtMs: clock });
    expect(check(history)).toMatchObject({ unacknowledged: 1, lost: 0, violations: [] });
    deliver(['maybe']);
    expect(check(history).violations).toEqual([]);
    history.ok('maybe');
    expect(history.missing()).toBe(0);
  });

  it('finds what was overtaken, also by a batch that was refused', () => {
    const [a = '', b = '', c = ''] = produce(3);
    deliver([a, c], 'refused');
    deliver([b]);
    deliver([a, c]);
    expect(check(history)).toMatchObject({ disordered: 1, violations: [expect.stringMatching(/^I2/)] });
  });

  it('finds the event of another tenant', () => {
    const [a = ''] = produce(1);
    deliver([a]);
    deliver([a], 'accepted', 'other');
    expect(check(history)).toMatchObject({ unexpected: 1, violations: [expect.stringMatching(/^I3 callback other/)] });
  });

  it('finds what was never produced', () => {
    deliver(['ghost']);
    expect(check(history)).toMatchObject({ unexpected: 1 });
  });

  it('finds torn JSON, swapped payloads and wrong devices', () => {
    const [a = '', b = ''] = produce(2);
    history.deliver('c', message([a]).slice(0, -3), 'accepted');
    history.deliver(
      'c',
      JSON.stringify({ notifications: [{ ep: device, uid: b, payload: payloadOf(a) }] }),
      'accepted',
    );
    history.deliver('c', message([a], 'f'.repeat(32)), 'accepted');
    expect(check(history).violations.filter((text) => text.startsWith('I3'))).toHaveLength(3);
  });

  it('finds what came twice without a reason', () => {
    const [a = '', b = ''] = produce(2);
    deliver([a, b]);
    deliver([a, b]);
    expect(check(history)).toMatchObject({ duplicates: 2, unexplained: 2, violations: [expect.stringMatching(/^I4/)] });
  });

  it('takes a fault as a reason for one batch of those accepted around it, and for no more', () => {
    const [a = '', b = '', c = ''] = produce(3);
    deliver([a, b]);
    const fault = { name: 'kill', fromMs: clock, toMs: clock + 100, excuse: excuses(1) };
    history.faults.push(fault);
    deliver([a, b, c]);
    expect(check(history)).toMatchObject({ duplicates: 2, unexplained: 0, violations: [] });
    deliver([c]);
    expect(check(history)).toMatchObject({ duplicates: 3, unexplained: 1 });
  });

  it('takes an event that Kafka has twice as a reason for that one', () => {
    const [a = '', b = ''] = produce(2);
    deliver([a, b]);
    deliver([a, b]);
    history.twiceInKafka = new Set([a]);
    expect(check(history)).toMatchObject({ duplicates: 2, unexplained: 1 });
  });

  it('takes a Redis that forgot as a reason for everything before', () => {
    const uids = produce(6);
    for (const uid of uids) deliver([uid]);
    history.faults.push({ name: 'wipe', fromMs: clock, toMs: clock + 1, excuse: excuses(0), forgets: true });
    for (const uid of uids) deliver([uid]);
    expect(check(history)).toMatchObject({ duplicates: 6, unexplained: 0, violations: [] });
  });

  it('counts drops: as many as the service says, and the oldest', () => {
    const [a = '', b = '', c = '', d = ''] = produce(4);
    const channel = history.channels.get('c');
    deliver([a, d]);
    Object.assign(channel ?? {}, { dropped: 2 });
    expect(check(history)).toMatchObject({ dropped: 2, lost: 0, violations: [] });
    Object.assign(channel ?? {}, { dropped: 1 });
    expect(check(history)).toMatchObject({ lost: 1 });
    deliver([c]);
    Object.assign(channel ?? {}, { dropped: 2 });
    expect(check(history).violations).toEqual(expect.arrayContaining([expect.stringMatching(/^I5/)]));
    expect(b).not.toBe('');
  });

  it('finds that not the oldest were dropped', () => {
    const [a = '', b = '', c = '', d = ''] = produce(4);
    deliver([a, c]);
    Object.assign(history.channels.get('c') ?? {}, { dropped: 2 });
    expect(check(history).violations).toEqual([expect.stringMatching(new RegExp(`^I5 ${c}`))]);
    expect([b, d]).not.toContain('');
  });

  it('lets an event arrive before a newer one is dropped', () => {
    const [a = '', b = '', c = '', d = '', e = ''] = produce(5);
    deliver([a]);
    deliver([c]);
    const channel = Object.assign(history.channels.get('c') ?? {}, { dropped: 2, droppedUntilMs: clock + 1 });
    deliver([e]);
    expect(check(history)).toMatchObject({ dropped: 2, violations: [] });
    Object.assign(channel, { droppedUntilMs: clock - 10_001 });
    expect(check(history).violations).toEqual([expect.stringMatching(new RegExp(`^I5 ${c}`))]);
    expect([b, d]).not.toContain('');
  });

  it('finds that the newest were dropped instead of the oldest', () => {
    const [a = '', b = '', c = '', d = ''] = produce(4);
    Object.assign(history.channels.get('c') ?? {}, { dropped: 2, droppedUntilMs: clock });
    deliver([a, b]);
    expect(check(history).violations).toEqual([a, b].map((uid) => expect.stringMatching(new RegExp(`^I5 ${uid}`))));
    expect([c, d]).not.toContain('');
  });

  it('lets nothing come after a channel ended, and misses nothing of it', () => {
    const [a = '', b = ''] = produce(2);
    deliver([a]);
    history.end('c', clock + 1);
    expect(check(history)).toMatchObject({ lost: 0, dropped: 1, violations: [] });
    deliver([b]);
    expect(check(history)).toMatchObject({ unexpected: 1, violations: [expect.stringMatching(/^I3/)] });
  });
});

import { describe, expect, it } from '@jest/globals';
import { justBefore, newest, type TimelineEntry } from './explanation.js';
import type { ChannelFacts, CommandFacts, EventPart, Session } from './facts.js';
import { commandEntries } from './timeline.js';
import { commandWaits, deviceWaits, eventWaits } from './waits-for.js';

const entry = (at: string): TimelineEntry => ({ at, service: 'registry', what: 'x', text: '', facts: {} });

const command: CommandFacts = {
  async_id: 'a',
  device_id: 'd',
  kind: 'device-request',
  method: 'GET',
  uri: '/3/0/0',
  state: 'waiting',
  attempts: 0,
  attempted_at: null,
  created_at: '2026-01-01T10:00:00.000000Z',
  expires_at: '2026-01-01T12:00:00.000000Z',
  finished_at: null,
  status: null,
  error: null,
  note: null,
};
const ended: CommandFacts = {
  ...command,
  state: 'succeeded',
  attempts: 1,
  attempted_at: '2026-01-01T10:00:01.000000Z',
  finished_at: '2026-01-01T10:00:02.000000Z',
  status: 200,
};

const session: Session = {
  registered_at: '2026-01-01T09:00:00.000000Z',
  last_heard_at: '2026-01-01T09:30:00.000000Z',
  expires_at: '2026-01-01T11:00:00.000000Z',
  queue_mode: true,
  asleep: true,
  observed: [],
};

const channel: ChannelFacts = {
  key_id: 'k',
  delivery_mechanism: 'WEB_SOCKET',
  created_at: '2026-01-01T08:00:00.000000Z',
  connected: false,
  queue_size: 3,
  oldest: '2026-01-01T09:00:00.000000Z',
  failures: 0,
  failing_since: null,
  stopped: null,
  dropped: { size: 0, age: 0, failed: 0 },
};

describe('a timeline', () => {
  it('holds the newest entries before a time, oldest first', () => {
    const all = ['3', '1', '2', '4'].map(entry);
    expect(newest(all, 2, '4')).toEqual({ timeline: [entry('2'), entry('3')], cut: true });
    expect(newest(all, 9, '9')).toEqual({ timeline: ['1', '2', '3', '4'].map(entry), cut: false });
    expect(newest([], 2, '9')).toEqual({ timeline: [], cut: false });
  });

  it('keeps what happened at one moment on one page', () => {
    const all = ['1', '2', '2', '3'].map(entry);
    expect(newest(all, 2, '9')).toEqual({ timeline: ['2', '2', '3'].map(entry), cut: true });
  });

  it('leaves to the next page what a service has not given all of, but never everything', () => {
    const all = ['1', '2', '3', '4'].map(entry);
    expect(newest(all, 9, '9', '2')).toEqual({ timeline: ['3', '4'].map(entry), cut: true });
    expect(newest(all, 1, '9', '2')).toEqual({ timeline: [entry('4')], cut: true });
    expect(newest(all, 9, '3', '2')).toEqual({ timeline: [entry('2')], cut: true });
  });

  it.each([
    ['2026-01-01T10:00:00.000001Z', '2026-01-01T10:00:00.000000Z'],
    ['2026-01-01T10:00:00.120000Z', '2026-01-01T10:00:00.119999Z'],
    ['2026-01-01T00:00:00.000000Z', '2025-12-31T23:59:59.999999Z'],
  ])('just before %s is %s', (at, before) => expect(justBefore(at)).toBe(before));

  it('tells a command from acceptance to end', () => {
    expect(commandEntries(ended).map(({ what }) => what)).toEqual([
      'command.accepted',
      'command.sent',
      'command.succeeded',
    ]);
  });
});

describe('what a command waits for', () => {
  it.each([
    ['register', { command, ahead: 0, session: null }],
    ['wake up', { command, ahead: 2, session }],
    ['2 commands of the same device', { command, ahead: 2, session: { ...session, asleep: false } }],
    ['within seconds', { command, ahead: 0, session: { ...session, asleep: false } }],
    ['attempt 1', { command: { ...command, state: 'executing' as const, attempts: 1 }, ahead: 0, session }],
  ])('%s', (words, part) => expect(commandWaits(part, channel)).toContain(words));

  it.each([
    ['no notification channel', undefined],
    ['open its WebSocket', channel],
    ['3 times in a row', { ...channel, delivery_mechanism: 'CALLBACK', failures: 3 }],
    ['stopped (key_reset)', { ...channel, delivery_mechanism: 'CALLBACK', stopped: 'key_reset' }],
    ['to poll', { ...channel, delivery_mechanism: 'LONG_POLLING' }],
    ['is empty', { ...channel, queue_size: 0, oldest: null }],
    ['still in the channel', { ...channel, oldest: '2026-01-01T11:00:00.000000Z' }],
  ])('when it has ended: %s', (words, of) =>
    expect(commandWaits({ command: ended, ahead: 0, session }, of)).toContain(words),
  );
});

describe('what a device waits for', () => {
  const device = {
    id: 'd',
    endpoint_name: 'e',
    created_at: '',
    state: 'registered',
    lifecycle_status: 'enabled' as const,
    operator_suspended: false,
    system_suspended: false,
  };
  const part = { session: null, commands: [], has_more: false, waiting: 0 };
  const blocked = { ...device, lifecycle_status: 'blocked' as const };
  it.each([
    ['until an operator resumes it.', { ...blocked, operator_suspended: true }, part],
    ['until the system resumes it with', { ...blocked, system_suspended: true }, part],
    ['an operator resumes it and the', { ...blocked, operator_suspended: true, system_suspended: true }, part],
    ['register', device, part],
    ['wake up', device, { ...part, session, waiting: 2 }],
    ['2 commands wait', device, { ...part, session, waiting: 2 }],
    ['Nothing', device, { ...part, session: { ...session, asleep: false } }],
  ])('%s', (words, of, proxy) => expect(deviceWaits(of, proxy)).toContain(words));
});

describe('what an event waits for', () => {
  const event: EventPart = {
    uid: 'u',
    category: 'notifications',
    device_id: 'd',
    occurred_at: '',
    announced_at: '',
    topic: 't',
    partition: 0,
    offset: '0',
    channels: [],
    without_channel: 0,
  };
  const of = (progress: EventPart['channels'][number]['progress'], facts = channel): EventPart => ({
    ...event,
    channels: [{ progress, channel: facts }],
  });
  it.each([
    ['no channel visible', event],
    ['have no notification channel', { ...event, without_channel: 1 }],
    ['for the dispatcher', of('on the way')],
    ['open its WebSocket', of('queued')],
    ['confirmed by 1 channel', of('left the queue')],
    ['dropped because of a limit', of('left the queue', { ...channel, dropped: { size: 1, age: 0, failed: 0 } })],
    ['created after the event', of('older than the channel')],
  ])('%s', (words, part) => expect(eventWaits(part)).toContain(words));
});

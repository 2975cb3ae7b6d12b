/** Sends values and commands one after another at an even rate, each with a trace. */
import { randomBytes } from 'node:crypto';
import { type Application, notificationsIn } from '../../bench/application.ts';
import { reportedPath as path, type Reporter } from '../../bench/reporters.ts';
import { evenly, until } from '../../bench/travels.ts';
import type { ReceivedSpan, TraceReceiver } from '../testing/trace-receiver.ts';
import { stepsOf, type Trip } from './steps.ts';

export interface Load {
  count: number;
  perSecond: number;
}

/** The same clock as that of the spans. */
const nowMs = () => Date.now();

/** The time at which each trip arrived on the channel, by the name of the trip. */
const arrivals = (app: Application, namesIn: (body: Buffer) => string[]) => {
  const at = new Map<string, number>();
  app.onMessage = ({ body }) => {
    for (const name of namesIn(body)) at.set(name, nowMs());
  };
  return at;
};

interface AsyncResponses {
  'async-responses'?: { id: string }[];
}

const answersIn = (body: Buffer): string[] =>
  ((JSON.parse(body.toString()) as AsyncResponses)['async-responses'] ?? []).map(({ id }) => id);

const startMsOf = ({ startTimeUnixNano }: ReceivedSpan): number => Number(BigInt(startTimeUnixNano) / 1_000_000n);

/** Spans arrive some seconds after they ended, so spans of earlier trips are left out. */
const spansSince = ({ spans }: TraceReceiver, sinceMs: number, name: string): ReceivedSpan[] =>
  spans.filter((span) => span.name === name && startMsOf(span) >= sinceMs);

/** Traces are complete only some time after the trips, because every service sends its spans by itself. */
const tracesOf = (what: keyof typeof stepsOf, receiver: TraceReceiver, sinceMs: number, count: number) => {
  const names = stepsOf[what].flatMap(({ until: end }) => (end === 'arrived' ? [] : [end[0].replace(/^.*?: /, '')]));
  return until(() => names.every((name) => spansSince(receiver, sinceMs, name).length >= count), 'traces');
};

/** The trace of a value begins in device-proxy, so it is found by the device and the order of its values. */
export const valueTrips = async (
  app: Application,
  reporters: readonly Reporter[],
  receiver: TraceReceiver,
  { count, perSecond }: Load,
): Promise<Trip[]> => {
  const arrived = arrivals(app, (body) => notificationsIn(body).map(({ number }) => String(number)));
  const first = 1_000_000 + Math.floor(Math.random() * 1e9);
  const left = new Map<string, { atMs: number; deviceId: string }>();
  const sinceMs = nowMs();
  await evenly(count, perSecond, (n) => {
    const { id, device } = reporters[n % reporters.length]!;
    left.set(String(first + n), { atMs: nowMs(), deviceId: id });
    void device.report(path, first + n);
  });
  await until(() => arrived.size >= count, 'values');
  await tracesOf('value', receiver, sinceMs, count);
  const notifications = spansSince(receiver, sinceMs, 'device-proxy notification');
  const ofDevice = Map.groupBy(notifications, ({ attributes }) => attributes['lanyard.device_id']);
  for (const list of ofDevice.values()) list.sort((a, b) => startMsOf(a) - startMsOf(b));
  return [...left].map(([name, { atMs, deviceId }]) => ({
    leftAtMs: atMs,
    arrivedAtMs: arrived.get(name)!,
    traceId: ofDevice.get(deviceId)?.shift()?.traceId ?? '',
  }));
};

export const commandTrips = async (
  app: Application,
  reporters: readonly Reporter[],
  receiver: TraceReceiver,
  { count, perSecond }: Load,
): Promise<Trip[]> => {
  const arrived = arrivals(app, answersIn);
  const left = new Map<string, number>();
  const sinceMs = nowMs();
  await evenly(count, perSecond, (n) => {
    const traceId = randomBytes(16).toString('hex');
    left.set(traceId, nowMs());
    const url = `${app.baseUrl}/v2/device-requests/${reporters[n % reporters.length]!.id}?async-id=${traceId}`;
    const headers = {
      authorization: `Bearer ${app.key}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
    };
    void fetch(url, { method: 'POST', headers, body: JSON.stringify({ method: 'GET', uri: '/3/0/0' }) });
  });
  await until(() => arrived.size >= count, 'answers');
  await tracesOf('command', receiver, sinceMs, count);
  return [...left].map(([traceId, leftAtMs]) => ({ traceId, leftAtMs, arrivedAtMs: arrived.get(traceId)! }));
};

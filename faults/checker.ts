/**
 * Judges a history, in the manner of Jepsen's total-queue checker: each message that Kafka acknowledged must come out of every
 * channel that it was for, in order per device, and nothing else may. Duplicates are counted and must be explained.
 */
import { judgeDuplicates } from './duplicates.ts';
import type { Channel, Delivery, Event, History } from './history.ts';

/** `produced` and `delivered` count each channel of an event */
export interface Verdict {
  produced: number;
  unacknowledged: number;
  delivered: number;
  duplicates: number;
  dropped: number;
  lost: number;
  disordered: number;
  unexpected: number;
  unexplained: number;
  violations: string[];
}

/** `endedGraceMs`: how long after the end of a channel a request in flight may still arrive */
interface Rules {
  endedGraceMs?: number;
}

const some = (all: readonly string[]) =>
  `${all.slice(0, 5).join(', ')}${all.length > 5 ? ` and ${all.length - 5} more` : ''}`;

const byChannel = ({ channels, deliveries }: History): Map<string, Delivery[]> => {
  const found = new Map([...channels.keys()].map((name) => [name, [] as Delivery[]]));
  for (const delivery of deliveries) found.get(delivery.channel)?.push(delivery);
  for (const list of found.values()) list.sort((a, b) => a.atMs - b.atMs);
  return found;
};

/** I1 and I5: as many events are missing as were counted as dropped, and these are the oldest. */
const judgeLoss = (
  { events }: History,
  { name, kind, endedAtMs, dropped = 0, droppedUntilMs }: Channel,
  deliveries: readonly Delivery[],
) => {
  const arrived = arrivals(deliveries);
  const expected = [...events.values()].filter(
    ({ channels, okAtMs }) => okAtMs !== undefined && channels.includes(name),
  );
  const missing = expected.filter(({ uid }) => !arrived.has(uid));
  const counts = { produced: expected.length, delivered: arrived.size, dropped: 0, lost: 0 };
  if (endedAtMs !== undefined) return { ...counts, dropped: missing.length, problems: [] };
  if (missing.length === dropped)
    return { ...counts, dropped, problems: dropped > 0 ? notOldest(missing, arrived, expected, droppedUntilMs) : [] };
  if (missing.length < dropped)
    return {
      ...counts,
      dropped,
      problems: [`I5 ${kind} ${name}: ${dropped} counted as dropped, only ${missing.length} are missing`],
    };
  const problems = [`I1 ${kind} ${name}: ${missing.length - dropped} lost: ${some(missing.map(({ uid }) => uid))}`];
  return { ...counts, dropped, lost: missing.length - dropped, problems };
};

/**
 * When each event was first accepted.
 * @param deliveries in the order of time
 */
const arrivals = (deliveries: readonly Delivery[]) => {
  const first = new Map<string, number>();
  for (const { answer, uids, atMs } of deliveries)
    if (answer === 'accepted') for (const uid of uids) if (!first.has(uid)) first.set(uid, atMs);
  return first;
};

/**
 * A queue drops its oldest events first. An event may rightly arrive before a newer one is dropped; but once nothing more is
 * dropped, an event that arrives must be newer than all dropped events of its device. If that moment is unknown, nothing new
 * may arrive between the first drop and the last, and the dropped events of each device must be one run of its sequence.
 */
const notOldest = (
  missing: readonly Event[],
  arrived: ReadonlyMap<string, number>,
  expected: readonly Event[],
  droppedUntilMs?: number,
) => {
  const runs = new Map<string, { oldest: number; newest: number }>();
  for (const { device, sequence } of missing) {
    const { oldest, newest } = runs.get(device) ?? { oldest: sequence, newest: sequence };
    runs.set(device, { oldest: Math.min(oldest, sequence), newest: Math.max(newest, sequence) });
  }
  return expected.flatMap(({ uid, device, sequence }) => {
    const [run, atMs] = [runs.get(device), arrived.get(uid)];
    if (!run || atMs === undefined || sequence > run.newest) return [];
    const isWrong = droppedUntilMs === undefined ? sequence > run.oldest : atMs > droppedUntilMs;
    return isWrong ? [`I5 ${uid} arrived although a newer one of its device was dropped`] : [];
  });
};

/** I2: the first deliveries of each device's events are in order. */
const judgeOrder = ({ events }: History, { name, kind }: Channel, deliveries: readonly Delivery[]) => {
  const newest = new Map<string, number>();
  const seen = new Set();
  const overtaken: string[] = [];
  for (const uid of deliveries.flatMap(({ uids }) => uids)) {
    const event = events.get(uid);
    if (!event || seen.has(uid)) continue;
    seen.add(uid);
    const before = newest.get(event.device) ?? -1;
    if (event.sequence < before) overtaken.push(uid);
    newest.set(event.device, Math.max(before, event.sequence));
  }
  return {
    disordered: overtaken.length,
    problems: overtaken.length > 0 ? [`I2 ${kind} ${name}: overtaken ${some(overtaken)}`] : [],
  };
};

/** I3: no torn JSON, no event of others, and none after the channel ended. */
const judgeForeign = (
  { events }: History,
  { name, kind, endedAtMs }: Channel,
  deliveries: readonly Delivery[],
  graceMs: number,
) => {
  const torn = deliveries.flatMap(({ problem }) => (problem ? [`I3 ${kind} ${name}: ${problem}`] : []));
  const foreign = [...new Set(deliveries.flatMap(({ uids }) => uids))].filter(
    (uid) => !events.get(uid)?.channels.includes(name),
  );
  const late = deliveries.filter(
    ({ atMs, uids }) => uids.length > 0 && endedAtMs !== undefined && atMs > endedAtMs + graceMs,
  );
  return {
    unexpected: torn.length + foreign.length + late.length,
    problems: [
      ...torn,
      ...(foreign.length > 0 ? [`I3 ${kind} ${name}: not for it, or never produced: ${some(foreign)}`] : []),
      ...late.map(
        ({ atMs }) =>
          `I3 ${kind} ${name}: a delivery ${Math.round(atMs - (endedAtMs ?? 0))} ms after the channel ended`,
      ),
    ],
  };
};

export const check = (history: History, rules: Rules = {}): Verdict => {
  const unacknowledged = [...history.events.values()].filter(({ okAtMs }) => okAtMs === undefined).length;
  const total: Verdict = {
    ...{ produced: 0, unacknowledged, delivered: 0, duplicates: 0, dropped: 0, lost: 0 },
    ...{ disordered: 0, unexpected: 0, unexplained: 0, violations: [] },
  };
  const deliveries = byChannel(history);
  for (const channel of history.channels.values()) {
    const own = deliveries.get(channel.name) ?? [];
    const loss = judgeLoss(history, channel, own);
    const order = judgeOrder(history, channel, own);
    const foreign = judgeForeign(history, channel, own, rules.endedGraceMs ?? 0);
    const twice = judgeDuplicates(history, channel, own);
    total.produced += loss.produced;
    total.delivered += loss.delivered;
    total.dropped += loss.dropped;
    total.lost += loss.lost;
    total.disordered += order.disordered;
    total.unexpected += foreign.unexpected;
    total.duplicates += twice.duplicates;
    total.unexplained += twice.unexplained.length;
    total.violations.push(...loss.problems, ...order.problems, ...foreign.problems);
    if (twice.unexplained.length > 0)
      total.violations.push(
        `I4 ${channel.kind} ${channel.name}: twice without a reason: ${some(twice.unexplained.map(({ uid, first, again }) => `${uid} (${again.atMs - first.atMs} ms apart)`))}`,
      );
  }
  return total;
};

/** Compares what arrived with what was acknowledged and accepted. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sensorPath, type Inbox } from './applications.ts';

/** Sent values by `device path`. */
type Sent = Record<string, { first: number; next: number; unacknowledged: number[] }>;

/** What the sensor of each device has counted, by the name of the device. */
export const sensorCounts = (sent: Sent) =>
  Object.entries(sent)
    .filter(([key]) => key.endsWith(` ${sensorPath}`))
    .map(([key, counts]) => [key.slice(0, key.indexOf(' ')), counts] as const);

/** Numbers of each device that the service has acknowledged, in the order in which they were sent. */
export const acknowledged = (sent: Sent) =>
  new Map(
    sensorCounts(sent).map(([name, { first, next, unacknowledged }]) => {
      const missing = new Set(unacknowledged);
      const numbers = Array.from({ length: next - first }, (_, n) => first + n).filter((n) => !missing.has(n));
      return [name, numbers];
    }),
  );

/**
 * @param wanted numbers by name of the device
 * @param ids ids of devices by name
 */
export const lostValues = (inbox: Inbox, wanted: Map<string, number[]>, ids: Map<string, string>) =>
  [...wanted].flatMap(([name, numbers]) => {
    const seen = inbox.values.get(ids.get(name) ?? '')?.seen;
    return numbers.filter((n) => !seen?.has(n)).map((n) => `${name} ${n}`);
  });

/**
 * Acknowledged values that came after a later value of their device. Unacknowledged values have no place in the order,
 * because the device has given them up.
 */
export const overtakenValues = (inbox: Inbox, wanted: Map<string, number[]>, ids: Map<string, string>) =>
  [...wanted].flatMap(([name, numbers]) => {
    const counted = new Set(numbers);
    let newest = -1;
    return (inbox.values.get(ids.get(name) ?? '')?.first ?? [])
      .filter((n) => counted.has(n))
      .filter((n) => {
        const late = n < newest;
        newest = Math.max(newest, n);
        return late;
      })
      .map((n) => `${name} ${n}`);
  });

export const unanswered = (inbox: Inbox, accepted: readonly string[]) =>
  accepted.filter((id) => !inbox.responses.has(id));

/** Executions that happened more than once: each has an argument of its own. */
export const executedTwice = (executions: Record<string, number>) =>
  Object.entries(executions).flatMap(([what, n]) => (n > 1 ? [what] : []));

/**
 * Messages that services could not handle, according to their logs: a version that does not understand a message logs this.
 * @param logs folder
 */
export const deadLetters = (logs: string) =>
  readdirSync(logs).flatMap((name) =>
    readFileSync(join(logs, name), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"dead letter"'))
      .map((line) => {
        const { topic, reason } = JSON.parse(line);
        return `${name}: ${topic}: ${String(reason).replaceAll(/\s+/g, ' ').slice(0, 120)}`;
      }),
  );

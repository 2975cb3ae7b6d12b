/** Tables for the terminal. */

import type { Outcome } from './experiment.ts';
import type { BugOutcome } from './matrix.ts';

/** @param lines the first is the head */
const table = (lines: readonly (readonly string[])[]) => {
  const widths = (lines[0] ?? []).map((_, n) => Math.max(...lines.map((line) => (line[n] ?? '').length)));
  const aligned = (cell: string, n: number) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0));
  return `${lines.map((line) => line.map(aligned).join('  ')).join('\n')}\n`;
};

const columns = [
  ['faults', 'injections'],
  ['hiccups', 'hiccups'],
  ['produced', 'produced'],
  ['delivered', 'delivered'],
  ['twice', 'duplicates'],
  ['dropped', 'dropped'],
  ['lost', 'lost'],
  ['disordered', 'disordered'],
  ['unexpected', 'unexpected'],
  ['unexplained', 'unexplained'],
] as const;

const line = (name: string, outcomes: readonly Outcome[]) => {
  const sum = (field: (typeof columns)[number][1]) =>
    String(outcomes.reduce((all, outcome) => all + outcome[field], 0));
  const violated = outcomes.filter(({ violations }) => violations.length > 0).length;
  const slowestMs = Math.max(0, ...outcomes.map(({ drainMs }) => drainMs));
  const ran = outcomes.filter(({ notRun }) => !notRun).length;
  const verdict = [
    ...(violated > 0 ? [`${violated} VIOLATED`] : []),
    ...(ran < outcomes.length ? [`${outcomes.length - ran} NOT RUN`] : []),
  ].join(', ');
  return [
    name,
    String(ran),
    ...columns.map(([, field]) => sum(field)),
    (slowestMs / 1_000).toFixed(1),
    verdict || 'ok',
  ];
};

/** A line for each row, with the sums over its seeds. */
export const rowTable = (outcomes: readonly Outcome[]) => {
  const head = ['row', 'runs', ...columns.map(([title]) => title), 'drain s', 'verdict'];
  const names = [...new Set(outcomes.map(({ row }) => row))];
  const own = (name: string) => outcomes.filter(({ row }) => row === name);
  const reasons = new Set(outcomes.flatMap(({ row, notRun }) => (notRun ? [`${row} was not run: ${notRun}\n`] : [])));
  return [table([head, ...names.map((name) => line(name, own(name))), line('total', outcomes)]), ...reasons].join('');
};

export const bugTable = (outcomes: readonly BugOutcome[]) => {
  const verdict = ({ caught, notRun }: BugOutcome) => (caught ? 'caught    ' : notRun ? 'NOT RUN   ' : 'NOT CAUGHT');
  const lines = outcomes.map((outcome) => {
    const { bug, about, row, by, notRun } = outcome;
    return [
      `${verdict(outcome)} ${bug} (${row}): ${about}`,
      ...(by || notRun ? [`           ${(by || notRun || '').slice(0, 120)}`] : []),
    ].join('\n');
  });
  const caught = outcomes.filter((outcome) => outcome.caught).length;
  return `${lines.join('\n')}\n${caught} of ${outcomes.length} planted bugs caught\n`;
};

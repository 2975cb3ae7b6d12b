/** Prints the table of steps, the figures and the violations of a drill or an upgrade. */
import { textTable } from '../lanyard/tables.ts';
import type { Rehearsal, Row } from './rehearsal.ts';

const table = (rows: readonly Row[]) =>
  textTable([
    ['step', 'seconds', 'calls', 'repeated', 'failed', 'slowest ms', 'note'],
    ...rows.map((r) => [r.name, r.seconds.toFixed(1), r.calls, r.repeated, r.failed, Math.round(r.slowestMs), r.note]),
  ]);

/** @returns the exit code */
export const report = (
  rehearsal: Rehearsal,
  outcome: { figures: Record<string, number>; violations: string[] },
  asJson: boolean,
): number => {
  const { figures } = outcome;
  const violations = [...rehearsal.broken, ...outcome.violations];
  const whole = { at: new Date().toISOString(), steps: rehearsal.rows, figures, violations };
  const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(36)}${value}`);
  process.stdout.write(
    asJson ? `${JSON.stringify(whole, null, 2)}\n` : `${table(rehearsal.rows)}\n\n${lines.join('\n')}\n`,
  );
  for (const [problem, n] of rehearsal.problems) process.stderr.write(`failed ${n} times: ${problem}\n`);
  for (const violation of violations) process.stderr.write(`VIOLATION ${violation}\n`);
  return violations.length > 0 ? 1 : 0;
};

/** What a drill or an upgrade prints: the table of its steps, figures, and what was violated. */
import type { Rehearsal, Row } from './rehearsal.ts';

const table = (rows: readonly Row[]) => {
  const cells = [
    ['step', 'seconds', 'calls', 'repeated', 'failed', 'slowest ms', 'note'],
    ...rows.map((r) => [
      r.name,
      r.seconds.toFixed(1),
      ...[r.calls, r.repeated, r.failed, Math.round(r.slowestMs)].map(String),
      r.note,
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** @returns the exit code */
export const report = (
  rehearsal: Rehearsal,
  { figures, violations }: { figures: Record<string, number>; violations: string[] },
  asJson: boolean,
): number => {
  const whole = { at: new Date().toISOString(), steps: rehearsal.rows, figures, violations };
  const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(36)}${value}`);
  process.stdout.write(
    asJson ? `${JSON.stringify(whole, null, 2)}\n` : `${table(rehearsal.rows)}\n\n${lines.join('\n')}\n`,
  );
  for (const [problem, n] of rehearsal.problems) process.stderr.write(`failed ${n} times: ${problem}\n`);
  for (const violation of violations) process.stderr.write(`VIOLATION ${violation}\n`);
  return violations.length > 0 ? 1 : 0;
};

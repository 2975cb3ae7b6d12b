/** Tables for people. */

/** @typedef {import('./experiment.mjs').Outcome} Outcome @typedef {import('./matrix.mjs').BugOutcome} BugOutcome */

/** @param {readonly (readonly string[])[]} lines the first is the head; all but the first column are numbers unless long */
const table = (lines) => {
  const widths = (lines[0] ?? []).map((_, n) => Math.max(...lines.map((line) => (line[n] ?? '').length)));
  const text = (/** @type {readonly string[]} */ line) =>
    line.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  ');
  return `${lines.map(text).join('\n')}\n`;
};

const columns = /** @type {const} */ ([
  ['faults', 'injections'],
  ['produced', 'produced'],
  ['delivered', 'delivered'],
  ['twice', 'duplicates'],
  ['dropped', 'dropped'],
  ['lost', 'lost'],
  ['disordered', 'disordered'],
  ['unexpected', 'unexpected'],
  ['unexplained', 'unexplained'],
]);

/** @param {readonly Outcome[]} outcomes */
export const rowTable = (outcomes) => {
  const head = ['row', 'seed', ...columns.map(([title]) => title), 'drain s', 'verdict'];
  const line = (/** @type {Outcome} */ outcome) => [
    outcome.row,
    String(outcome.seed),
    ...columns.map(([, field]) => String(outcome[field])),
    (outcome.drainMs / 1_000).toFixed(1),
    outcome.violations.length === 0 ? 'ok' : 'VIOLATED',
  ];
  const sum = (/** @type {typeof columns[number][1]} */ field) =>
    outcomes.reduce((all, outcome) => all + outcome[field], 0);
  const failed = outcomes.filter(({ violations }) => violations.length > 0).length;
  const longest = Math.max(0, ...outcomes.map(({ drainMs }) => drainMs));
  const total = [
    'total',
    '',
    ...columns.map(([, field]) => String(sum(field))),
    (longest / 1_000).toFixed(1),
    failed === 0 ? 'ok' : `${failed} VIOLATED`,
  ];
  return table([head, ...outcomes.map(line), total]);
};

/** @param {readonly BugOutcome[]} outcomes */
export const bugTable = (outcomes) =>
  outcomes
    .map(
      ({ bug, about, row, caught, by }) =>
        `${caught ? 'caught    ' : 'NOT CAUGHT'} ${bug} (${row}): ${about}\n${by ? `           ${by.slice(0, 140)}\n` : ''}`,
    )
    .join('') + `${outcomes.filter(({ caught }) => caught).length} of ${outcomes.length} planted bugs caught\n`;

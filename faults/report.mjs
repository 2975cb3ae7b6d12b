/** Tables for people. */

/** @typedef {import('./experiment.mjs').Outcome} Outcome @typedef {import('./matrix.mjs').BugOutcome} BugOutcome */

/** @param {readonly (readonly string[])[]} lines the first is the head */
const table = (lines) => {
  const widths = (lines[0] ?? []).map((_, n) => Math.max(...lines.map((line) => (line[n] ?? '').length)));
  const aligned = (/** @type {string} */ cell, /** @type {number} */ n) =>
    n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0);
  return `${lines.map((line) => line.map(aligned).join('  ')).join('\n')}\n`;
};

const columns = /** @type {const} */ ([
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
]);

/** @param {string} name @param {readonly Outcome[]} outcomes */
const line = (name, outcomes) => {
  const sum = (/** @type {(typeof columns)[number][1]} */ field) =>
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

/** A line for each row: the sum of its seeds. @param {readonly Outcome[]} outcomes */
export const rowTable = (outcomes) => {
  const head = ['row', 'runs', ...columns.map(([title]) => title), 'drain s', 'verdict'];
  const names = [...new Set(outcomes.map(({ row }) => row))];
  const own = (/** @type {string} */ name) => outcomes.filter(({ row }) => row === name);
  const reasons = new Set(outcomes.flatMap(({ row, notRun }) => (notRun ? [`${row} was not run: ${notRun}\n`] : [])));
  return [table([head, ...names.map((name) => line(name, own(name))), line('total', outcomes)]), ...reasons].join('');
};

/** @param {readonly BugOutcome[]} outcomes */
export const bugTable = (outcomes) => {
  const verdict = (/** @type {BugOutcome} */ { caught, notRun }) =>
    caught ? 'caught    ' : notRun ? 'NOT RUN   ' : 'NOT CAUGHT';
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

/** Runs rows on engines of their own: side by side those that share them, one after another those that break them. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { removeData } from '../tools/lanyard/engine-processes.mjs';
import { dataFolder, root } from '../tools/lanyard/project.mjs';
import { Engines } from './engines.mjs';
import { Experiment } from './experiment.mjs';
import { copyProgram } from './program.mjs';
import { rows } from './rows.mjs';

/**
 * @typedef {import('./experiment.mjs').Outcome} Outcome
 * @typedef {import('./experiment.mjs').Row} Row
 * @typedef {{ say: (text: string) => void, parallel: number, seconds?: number, shared?: import('./engines.mjs').Shared }} Options `shared`: engines that others use too
 * @typedef {{ row: Row, seed: number, program: string }} Job
 * @typedef {{ bug: string, about: string, row: string, caught: boolean, by: string, runs: number, notRun?: string }} BugOutcome
 */

/** A bug that shows by chance gets so many. */
const bugSeeds = 4;

/** What a bug lost does not come, however long one waits. */
const bugDrainMs = 15_000;

export class Matrix {
  /** @param {Options} options @param {string} folder @param {Engines} engines */
  constructor(options, folder, engines) {
    this.options = options;
    this.folder = folder;
    this.engines = engines;
    this.keep = false;
    this.program = copyProgram(join(folder, 'dispatcher'));
  }

  /** @param {Options} options */
  static async start(options) {
    const folder = makeFolder();
    const engines = await (options.shared ? Engines.use(options.shared) : Engines.start(folder));
    options.say(`engines run; logs are in ${folder}`);
    return new Matrix(options, folder, engines);
  }

  /** @param {readonly Row[]} wanted @param {readonly number[]} seeds */
  async run(wanted, seeds) {
    const runs = seeds.flatMap((seed) => wanted.map((row) => ({ row, seed })));
    return this.inTurns(
      runs,
      ({ row }) => row,
      ({ row, seed }) => this.runOne({ row, seed, program: this.program }),
    );
  }

  /**
   * Side by side what shares the engines, then alone what breaks them. Results in the order of the jobs.
   * @template J, R @param {readonly J[]} jobs @param {(job: J) => Row} rowOf @param {(job: J) => Promise<R>} work
   * @returns {Promise<R[]>}
   */
  async inTurns(jobs, rowOf, work) {
    /** @type {Map<J, R>} */
    const results = new Map();
    const shared = jobs.filter((job) => !rowOf(job).exclusive);
    const workers = Array.from({ length: this.options.parallel }, async () => {
      for (let job = shared.shift(); job; job = shared.shift()) results.set(job, await work(job));
    });
    await Promise.all(workers);
    for (const job of jobs.filter((one) => rowOf(one).exclusive)) {
      results.set(job, await work(job));
      await this.engines.heal();
    }
    return jobs.map((job) => /** @type {R} */ (results.get(job)));
  }

  /** @param {Job} job @returns {Promise<Outcome>} */
  async runOne({ row, seed, program }) {
    const { say, seconds } = this.options;
    const { engines, folder } = this;
    const notRun = row.cannotRun?.();
    if (notRun) {
      say(`${row.name} seed ${seed}: NOT RUN: ${notRun}`);
      return { ...emptyRun(row, seed), notRun };
    }
    const experiment = new Experiment({ row, seed, folder, program, engines, say, ...(seconds && { seconds }) });
    const outcome = await experiment.run().catch((error) => brokenRun(row, seed, error));
    const { injections, produced, delivered, lost, duplicates, drainMs, violations } = outcome;
    say(
      `${row.name} seed ${seed}: ${injections} faults, ${delivered} of ${produced} delivered, ${lost} lost, ` +
        `${duplicates} twice, drained in ${drainMs} ms: ${violations.length === 0 ? 'ok' : 'VIOLATED'}`,
    );
    if (violations.length > 0 && program === this.program) {
      this.keep = true;
      for (const violation of violations.slice(0, 12)) say(`  ${violation}`);
      say(`  again: npm run test:faults -- --rows ${row.name} --seed ${seed}; history: ${outcome.history}`);
    }
    return outcome;
  }

  /** Every planted bug must be found by the row that it names. @param {readonly import('./bugs.mjs').Bug[]} bugs @param {number} seed */
  async runBugs(bugs, seed) {
    return this.inTurns(bugs, rowOfBug, (bug) => this.runBug(bug, seed));
  }

  /** @param {import('./bugs.mjs').Bug} bug @param {number} seed @returns {Promise<BugOutcome>} */
  async runBug(bug, seed) {
    const { say } = this.options;
    const program = copyProgram(join(this.folder, 'bugs', bug.name), bug);
    const row = { ...rowOfBug(bug), drainMs: bugDrainMs };
    for (let run = 0; run < bugSeeds; run++) {
      const outcome = await this.runOne({ row, seed: seed + run, program });
      const { notRun } = outcome;
      if (notRun) return { bug: bug.name, about: bug.about, row: bug.row, caught: false, by: '', runs: run, notRun };
      const by = outcome.violations.find((text) => bug.shows.test(text));
      if (!by) continue;
      say(`bug ${bug.name}: caught by ${bug.row}: ${by}`);
      return { bug: bug.name, about: bug.about, row: bug.row, caught: true, by, runs: run + 1 };
    }
    say(`bug ${bug.name}: NOT caught by ${bug.row}`);
    return { bug: bug.name, about: bug.about, row: bug.row, caught: false, by: '', runs: bugSeeds };
  }

  /** Histories and logs stay when something was violated. */
  async stop() {
    await this.engines.stop();
    if (!this.keep) removeData(this.folder);
  }
}

/** Within the project: the copied program finds its packages by walking up. */
const makeFolder = () => {
  const parent = dataFolder().startsWith(`${root}/`) ? dataFolder() : join(root, '.lanyard');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, 'faults-'));
};

/** @param {import('./bugs.mjs').Bug} bug */
const rowOfBug = (bug) => {
  const row = rows.find(({ name }) => name === bug.row);
  if (!row) throw new Error(`the bug ${bug.name} names a row that is not there: ${bug.row}`);
  return row;
};

/** @param {Row} row @param {number} seed @returns {Outcome} */
const emptyRun = (row, seed) => ({
  ...{
    row: row.name,
    seed,
    injections: 0,
    hiccups: 0,
    produced: 0,
    unacknowledged: 0,
    delivered: 0,
    duplicates: 0,
    dropped: 0,
  },
  ...{ lost: 0, disordered: 0, unexpected: 0, unexplained: 0, drainMs: 0, seconds: 0, deaths: 0 },
  violations: [],
});

/** @param {Row} row @param {number} seed @param {unknown} error @returns {Outcome} */
const brokenRun = (row, seed, error) => ({
  ...emptyRun(row, seed),
  violations: [`the row did not run: ${error instanceof Error ? error.stack : error}`],
});

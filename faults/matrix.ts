/** Runs rows on separate infrastructure: rows that only share it run in parallel, rows that break it one after another. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { removeData } from '../tools/lanyard/infrastructure-processes.ts';
import { dataFolder, root } from '../tools/lanyard/project.ts';
import { severalAtOnce } from '../tools/testing/several-at-once.ts';
import { Infrastructure, type Shared } from './infrastructure.ts';
import { Experiment, type Outcome, type Row } from './experiment.ts';
import { copyProgram } from './program.ts';
import { rows } from './rows.ts';
import type { Bug } from './bugs.ts';

/** `shared`: infrastructure that other programs use too */
interface Options {
  say: (text: string) => void;
  parallel: number;
  seconds?: number;
  shared?: Shared;
}

interface Job {
  row: Row;
  seed: number;
  program: string;
}

export interface BugOutcome {
  bug: string;
  about: string;
  row: string;
  caught: boolean;
  by: string;
  runs: number;
  notRun?: string;
}

/** Number of seeds for a bug that does not show in every run. */
const bugSeeds = 4;

/** Short, because events that a bug has lost never arrive. */
const bugDrainMs = 15_000;

export class Matrix {
  options: Options;
  folder: string;
  infrastructure: Infrastructure;
  keep = false;
  program: string;

  constructor(options: Options, folder: string, infrastructure: Infrastructure) {
    this.options = options;
    this.folder = folder;
    this.infrastructure = infrastructure;
    this.program = copyProgram(join(folder, 'dispatcher'));
  }

  static async start(options: Options) {
    const folder = makeFolder();
    const infrastructure = await (options.shared ? Infrastructure.use(options.shared) : Infrastructure.start(folder));
    options.say(`infrastructure is running; logs are in ${folder}`);
    return new Matrix(options, folder, infrastructure);
  }

  async run(wanted: readonly Row[], seeds: readonly number[]) {
    const runs = seeds.flatMap((seed) => wanted.map((row) => ({ row, seed })));
    return this.inTurns(
      runs,
      ({ row }) => row,
      ({ row, seed }) => this.runOne({ row, seed, program: this.program }),
    );
  }

  /** Runs rows that share the infrastructure in parallel, then exclusive ones alone. Results are in the order of the jobs. */
  async inTurns<J, R>(jobs: readonly J[], rowOf: (job: J) => Row, work: (job: J) => Promise<R>): Promise<R[]> {
    const results = new Map<J, R>();
    const isExclusive = (job: J) => rowOf(job).exclusive === true;
    const shared = jobs.filter((job) => !isExclusive(job));
    await severalAtOnce(this.options.parallel, shared, async (job) => results.set(job, await work(job)));
    for (const job of jobs.filter(isExclusive)) {
      results.set(job, await work(job));
      await this.infrastructure.heal();
    }
    return jobs.map((job) => results.get(job) as R);
  }

  async runOne({ row, seed, program }: Job): Promise<Outcome> {
    const { say, seconds } = this.options;
    const { infrastructure, folder } = this;
    const notRun = row.cannotRun?.();
    if (notRun) {
      say(`${row.name} seed ${seed}: NOT RUN: ${notRun}`);
      return { ...emptyRun(row, seed), notRun };
    }
    const experiment = new Experiment({ row, seed, folder, program, infrastructure, say, ...(seconds && { seconds }) });
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

  /** Every planted bug must be found by the row that it names. */
  async runBugs(bugs: readonly Bug[], seed: number) {
    return this.inTurns(bugs, rowOfBug, (bug) => this.runBug(bug, seed));
  }

  async runBug(bug: Bug, seed: number): Promise<BugOutcome> {
    const { say } = this.options;
    const about = { bug: bug.name, about: bug.about, row: bug.row };
    const program = copyProgram(join(this.folder, 'bugs', `${bug.name}-${bug.row}`), bug);
    const row = { ...rowOfBug(bug), drainMs: bugDrainMs };
    for (let run = 0; run < bugSeeds; run++) {
      const outcome = await this.runOne({ row, seed: seed + run, program });
      const { notRun } = outcome;
      if (notRun) return { ...about, caught: false, by: '', runs: run, notRun };
      const by = outcome.violations.find((text) => bug.shows.test(text));
      if (!by) continue;
      say(`bug ${bug.name}: caught by ${bug.row}: ${by}`);
      return { ...about, caught: true, by, runs: run + 1 };
    }
    say(`bug ${bug.name}: NOT caught by ${bug.row}`);
    return { ...about, caught: false, by: '', runs: bugSeeds };
  }

  /** Histories and logs are kept when something was violated. */
  async stop() {
    await this.infrastructure.stop();
    if (!this.keep) removeData(this.folder);
  }
}

/** A folder within the project, because the copied program finds its packages in parent folders. */
const makeFolder = () => {
  const parent = dataFolder().startsWith(`${root}/`) ? dataFolder() : join(root, '.lanyard');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, 'faults-'));
};

const rowOfBug = (bug: Bug) => {
  const row = rows.find(({ name }) => name === bug.row);
  if (!row) throw new Error(`the bug ${bug.name} names a row that is not there: ${bug.row}`);
  return row;
};

const emptyRun = (row: Row, seed: number): Outcome => ({
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

const brokenRun = (row: Row, seed: number, error: unknown): Outcome => ({
  ...emptyRun(row, seed),
  violations: [`the row did not run: ${error instanceof Error ? error.stack : error}`],
});

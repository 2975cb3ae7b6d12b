import { systemCoapClock, TimerWheel } from '@lanyard/coap';
import { systemClock } from '@lanyard/service';
import { type SimulatorConfig } from './config.js';
import { Executions } from './counts/executions.js';
import { NumberedValues } from './counts/numbered-values.js';
import { Tally } from './counts/tally.js';
import { type SimulationContext } from './device/simulation-context.js';
import { TooFewOpenFiles } from './errors.js';
import { Fleet } from './fleet/fleet.js';
import { type GroupFleet } from './fleet/group-fleet.js';
import { groupFleet, refuseSharedNames } from './fleet/groups.js';
import { Phases } from './fleet/phases.js';
import { seededRandom } from './fleet/random.js';
import { type Phase } from './settings/phase.js';
import { HttpServer } from './telemetry/http-server.js';
import { fleetMetrics } from './telemetry/metrics.js';
import { summarize } from './telemetry/summary.js';
import { Terminal } from './telemetry/terminal.js';
import { addressOf } from './transport/server-address.js';
import { Transports } from './transport/transports.js';

export interface RunningSimulator {
  /** Base URL of `/metrics` and `/executions`. */
  url: string;
  tally: Tally;
  groups: readonly GroupFleet[];
  executions: Executions;
  /** Resolves when the last phase has ended; never without phases. */
  ended: Promise<void>;
  /** Deregisters every device. @returns Whether nothing was lost. */
  stop(): Promise<boolean>;
}

/** Files that every Node process has open. */
const ownFiles = 50;

const checkOpenFiles = (devices: number): void => {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const openFiles = Number(userLimits?.open_files?.soft ?? NaN);
  if (devices + ownFiles > openFiles) throw new TooFewOpenFiles(devices, openFiles);
};

const toTerminal = (line: string): void => void process.stdout.write(line);

export const start = async (config: SimulatorConfig, write = toTerminal): Promise<RunningSimulator> => {
  checkOpenFiles(config.groups.reduce((sum, { devices }) => sum + devices, 0));
  const context: SimulationContext = {
    clock: systemClock,
    timers: new TimerWheel(systemCoapClock),
    random: seededRandom(config.seed),
    executions: new Executions(),
    resolve: addressOf,
    numbered: config.groups.some(({ numberedValues }) => numberedValues) ? new NumberedValues() : undefined,
  };
  const tally = new Tally();
  const fleetContext = {
    context,
    transports: new Transports(context.timers, context.random),
    whole: tally,
  };
  const groups = await Promise.all(config.groups.map((settings) => groupFleet(settings, fleetContext)));
  refuseSharedNames(groups);
  const fleet = new Fleet(groups, config.registrationsPerSecond);
  const http = new HttpServer(fleetMetrics(groups), context);
  const terminal = new Terminal({ groups, tally, write });
  const url = await http.listen(config.http.host, config.http.port);
  terminal.start(config.reportSeconds, url);
  const { phases, ended } = run(config.phases, fleet, context.timers, (phase) =>
    terminal.print(`phase "${phase.name}": ${phase.seconds} s`),
  );
  return {
    url,
    tally,
    groups,
    executions: context.executions,
    ended,
    stop: async () => {
      phases.stop();
      const { text, isGood } = summarize(groups);
      terminal.stop();
      await fleet.stop();
      terminal.print(text);
      await http.close();
      return isGood;
    },
  };
};

const run = (
  list: readonly Phase[],
  fleet: Fleet,
  timers: TimerWheel,
  onPhase: (phase: Phase) => void,
): { phases: Phases; ended: Promise<void> } => {
  let onEnd = (): void => undefined;
  const ended = new Promise<void>((resolve) => (onEnd = resolve));
  const phases = new Phases(list, { fleet, timers, onPhase, onEnd });
  if (list.length > 0) phases.start();
  else fleet.start();
  return { phases, ended };
};

/**
 * The effect of more replicas, if a pod may use only a small part of a processor and the machine is not the limit: the
 * dispatcher, the device-proxy and the gateway with 1, 2 and 4 replicas on the local cluster.
 */
import { Installation } from '../../tools/cluster/installation.ts';
import { markdownTable } from '../../tools/lanyard/tables.ts';
import { say } from '../../tools/lanyard/project.ts';
import { median } from '../statistics.ts';
import { DeviceProxies } from './device-proxies.ts';
import { Dispatchers } from './dispatchers.ts';
import { Gateways } from './gateways.ts';
import { Scaled } from './scaled.ts';
import type { Cluster } from '../../tools/cluster/cluster.ts';
import type { App } from '../../tools/lanyard/service-processes.ts';

const counts = [1, 2, 4];
const unlimitedMillicores = 2_000;
/** How long replicas that have just started need to become as fast as those that ran before. */
const warmSeconds = 15;
/** Goals as multiples of the rate of one replica. */
const goals: Record<number, number> = { 1: 1, 2: 1.8, 4: 3.3 };

const unlimited = { PER_SECOND: 1_000_000, BURST: 1_000_000 };

/** No rate limits, because the rate of a single key is measured. */
const settings = {
  gateway: ['KEY', 'ACCOUNT'].flatMap((whose) =>
    Object.entries(unlimited).map(([name, value]) => `GATEWAY_${whose}_RATE_${name}=${value}`),
  ),
};

interface Measured {
  start(): Promise<unknown>;
  /**
   * Warms up without CPU limits: V8 compiles the code in use, which would take minutes with a small part of a processor.
   * Default: measures.
   */
  warm?(replicas: number): Promise<unknown>;
  measure(replicas: number, seconds: number): Promise<number>;
  stop?(): Promise<void>;
}

const kinds: Record<string, { what: string; absent: App[]; of: (scaled: Scaled, brokers: string) => Measured }> = {
  dispatcher: {
    what: 'delivered events/s',
    absent: ['snapshot', 'event-log', 'campaigns'],
    of: (scaled, brokers) => new Dispatchers(scaled, brokers),
  },
  'device-proxy': {
    what: 'acknowledged values/s',
    absent: ['snapshot', 'event-log', 'campaigns', 'dispatcher'],
    of: (scaled) => new DeviceProxies(scaled),
  },
  gateway: {
    what: 'requests/s',
    absent: ['snapshot', 'event-log', 'campaigns', 'dispatcher'],
    of: (scaled) => new Gateways(scaled),
  },
};

export interface Options {
  seconds: number;
  rounds: number;
  millicores: number;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

const scaleOne = async (installation: Installation, app: App, { seconds, rounds, millicores }: Options) => {
  const kind = kinds[app];
  if (!kind) throw new Error(`${app} is not measured`);
  await installation.uninstall();
  await installation.install(settings);
  const scaled = new Scaled(installation, app);
  const load = kind.of(scaled, (await installation.infrastructureUrls()).brokers);
  await load.start();
  await scaled.removePods(...kind.absent);
  const rows: string[][] = [];
  let rateOfOne = 0;
  try {
    for (const replicas of counts) {
      await scaled.scaleTo(replicas);
      await scaled.limit(unlimitedMillicores);
      await (load.warm?.(replicas) ?? load.measure(replicas, Math.max(seconds, warmSeconds)));
      await scaled.limit(millicores);
      const throttling = await scaled.throttling();
      const rates: number[] = [];
      for (let n = 0; n < rounds; n++) rates.push(await load.measure(replicas, seconds));
      const rate = median(rates);
      rateOfOne ||= rate;
      const throttled = throttling().map(percent).join(', ');
      say(`${app}, ${replicas} replicas: ${rates.map(Math.round).join(', ')} ${kind.what}; throttled in ${throttled}`);
      const ratio = rate / rateOfOne;
      const isMet = ratio >= (goals[replicas] ?? 0);
      rows.push([
        app,
        kind.what,
        String(replicas),
        String(Math.round(rate)),
        ratio.toFixed(2),
        `${goals[replicas]}${isMet ? '' : ', missed'}`,
        throttled,
      ]);
    }
  } finally {
    await load.stop?.();
  }
  return rows;
};

/** @param only names of services */
export const scaling = async (cluster: Cluster, only: RegExp, options: Options) => {
  const installation = new Installation(cluster);
  const rows: string[][] = [];
  for (const app of Object.keys(kinds) as App[])
    if (only.test(app)) rows.push(...(await scaleOne(installation, app, options)));
  const head = [
    'Service',
    'Figure',
    'Replicas',
    'Measured',
    'Times one replica',
    'Goal',
    'Periods with the limit reached',
  ];
  process.stdout.write(`${markdownTable(head, rows)}\n`);
};

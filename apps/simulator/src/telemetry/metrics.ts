import { Metrics } from '@lanyard/service';
import { timed } from '../counts/tally.js';
import { type GroupFleet } from '../fleet/group-fleet.js';

/** The counts of each group for Prometheus; read at each scrape. */
export const fleetMetrics = (groups: readonly GroupFleet[]): Metrics => {
  const metrics = new Metrics('simulator', 'simulator-0').collectProcess();
  metrics.gauge({
    name: 'lanyard_simulator_registered',
    help: 'Simulated devices that have a registration',
    labelNames: ['group'],
    collect() {
      for (const { group } of groups) this.set({ group: group.settings.name }, group.tally.registered);
    },
  });
  metrics.gauge({
    name: 'lanyard_simulator_observations',
    help: 'Observations of resources of simulated devices',
    labelNames: ['group'],
    collect() {
      for (const { group } of groups) this.set({ group: group.settings.name }, group.watches.size);
    },
  });
  metrics.counter({
    name: 'lanyard_simulator_events_total',
    help: 'Actions of simulated devices, and failures of servers and connections',
    labelNames: ['group', 'event'],
    collect() {
      this.reset();
      for (const { group } of groups)
        for (const [event, count] of Object.entries(group.tally.counts))
          this.inc({ group: group.settings.name, event }, count);
    },
  });
  metrics.gauge({
    name: 'lanyard_simulator_latency_seconds',
    help: 'Time until the server answered or acknowledged, since the start; the quantiles are rounded up',
    labelNames: ['group', 'what', 'quantile'],
    collect() {
      for (const { group } of groups)
        for (const what of timed)
          for (const quantile of [0.5, 0.99])
            this.set(
              { group: group.settings.name, what, quantile: String(quantile) },
              group.tally.latencies[what].quantile(quantile) / 1_000,
            );
    },
  });
  return metrics;
};

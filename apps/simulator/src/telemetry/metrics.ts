import { Metrics } from '@lanyard/service';
import { type World } from '../device/world.js';

/** The counts of the fleet for Prometheus; read at each scrape. */
export const fleetMetrics = ({ tally, watches }: World): Metrics => {
  const metrics = new Metrics('simulator', 'simulator-0').collectProcess();
  const registered = 'Simulated devices that have a registration';
  metrics.observe({ name: 'lanyard_simulator_registered', help: registered }, () => tally.registered);
  const observed = 'Resources of simulated devices that the server observes';
  metrics.observe({ name: 'lanyard_simulator_observations', help: observed }, () => watches.size);
  metrics.counter({
    name: 'lanyard_simulator_events_total',
    help: 'What simulated devices did and met',
    labelNames: ['event'],
    collect() {
      this.reset();
      for (const [event, count] of Object.entries(tally.counts)) this.inc({ event }, count);
    },
  });
  return metrics;
};

import {
  collectDefaultMetrics,
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';

/** How often the event loop is sampled, which wakes the process each time. The reported lag includes this time. */
const eventLoopPeriodMs = 500;

/** Prometheus metrics of one app. Asking twice for a name gives the same metric. Names start with `lanyard_`. */
export class Metrics {
  readonly registry = new Registry();

  constructor(app: string, replicaId: string) {
    this.registry.setDefaultLabels({ app, replica: replicaId });
  }

  /** Process metrics: memory, CPU, event loop. */
  collectProcess(): this {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: eventLoopPeriodMs });
    return this;
  }

  counter<L extends string>(configuration: Omit<CounterConfiguration<L>, 'registers'>): Counter<L> {
    const known = this.registry.getSingleMetric(configuration.name) as Counter<L> | undefined;
    return known ?? new Counter({ ...configuration, registers: [this.registry] });
  }

  gauge<L extends string>(configuration: Omit<GaugeConfiguration<L>, 'registers'>): Gauge<L> {
    const known = this.registry.getSingleMetric(configuration.name) as Gauge<L> | undefined;
    return known ?? new Gauge({ ...configuration, registers: [this.registry] });
  }

  /** A gauge without labels whose value is read at each scrape. */
  observe(described: { name: string; help: string }, value: () => number): void {
    this.gauge({
      ...described,
      collect() {
        this.set(value());
      },
    });
  }

  histogram<L extends string>(configuration: Omit<HistogramConfiguration<L>, 'registers'>): Histogram<L> {
    const known = this.registry.getSingleMetric(configuration.name) as Histogram<L> | undefined;
    return known ?? new Histogram({ ...configuration, registers: [this.registry] });
  }
}

/** The alert rules and the dashboard of deploy/observability as Kubernetes objects, in k8s/components/monitoring. */
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

const read = (name: string) => readFileSync(new URL(`../../deploy/observability/${name}`, import.meta.url), 'utf8');

const head = '# Generated from deploy/observability by npm run docs.\n';

export const prometheusRule = (): string =>
  head +
  stringify({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'lanyard' },
    spec: parse(read('alerts.yaml')),
  });

/** The sidecar of Grafana's chart looks for this label. */
export const dashboardMap = (): string =>
  head +
  stringify(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'lanyard-dashboard', labels: { grafana_dashboard: '1' } },
      data: { 'lanyard.json': read('dashboard.json') },
    },
    { lineWidth: 0, blockQuote: 'literal' },
  );

/**
 * Alerts and dashboard: the metrics that they use exist, every alert fires when it should, and the runbook has an entry for
 * it. Prometheus scrapes only pods that have not ended: an evicted pod would be reported as down until it is deleted.
 */
import { parse } from 'yaml';
import { conclude, textOf } from './lanyard/project-files.ts';
import { alertProblems, type Rule } from './observability/alerts.ts';
import { existingMetrics, expressionProblems } from './observability/metrics.ts';
import { isScraped, type Relabelling } from './observability/scrape.ts';

const metrics = await existingMetrics();
const { groups } = parse(textOf('deploy/observability/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(textOf('deploy/observability/dashboard.json'));
const runbook = [...textOf('docs/runbook.md').matchAll(/^## (\S+)$/gm)].map(([, title = '']) => title);

const problems = rules.flatMap(({ alert, expr, labels, annotations }) => [
  ...expressionProblems(expr, metrics).map((problem) => `${alert}: ${problem}`),
  ...(['page', 'ticket'].includes(labels.severity ?? '') ? [] : [`${alert}: its severity is neither page nor ticket`]),
  ...(runbook.includes(alert) ? [] : [`${alert} is not in docs/runbook.md`]),
  ...(annotations.runbook === `docs/runbook.md#${alert.toLowerCase()}`
    ? []
    : [`${alert}: leads to another runbook entry`]),
]);
for (const { title, targets = [] } of dashboard.panels)
  for (const { expr } of targets)
    problems.push(...expressionProblems(expr, metrics).map((problem) => `dashboard, ${title}: ${problem}`));
for (const title of runbook)
  if (!rules.some(({ alert }) => alert === title)) problems.push(`docs/runbook.md: ${title} is no alert`);
problems.push(...alertProblems(rules, parse(textOf('deploy/observability/alerts.test.yaml'))));

const { scrape_configs: jobs } = parse(textOf('deploy/observability/prometheus.yaml')) as {
  scrape_configs: { relabel_configs: Relabelling[] }[];
};
const scrapedPhases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'].filter((phase) =>
  jobs.some((job) =>
    isScraped(job.relabel_configs, {
      __meta_kubernetes_pod_annotation_prometheus_io_scrape: 'true',
      __meta_kubernetes_pod_container_port_name: 'http',
      __meta_kubernetes_pod_phase: phase,
    }),
  ),
);
if (scrapedPhases.join() !== 'Pending,Running,Unknown')
  problems.push(`deploy/observability/prometheus.yaml scrapes pods of the phases ${scrapedPhases.join(', ')}`);
conclude(problems);

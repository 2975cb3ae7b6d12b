/** The existing metrics and labels, and expressions that use others. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { projectFiles, textOf } from '../lanyard/project-files.ts';
import { parsePromQl, selectorOf } from './promql.ts';

/** Labels by name of the metric. */
type Metrics = Map<string, Set<string>>;

/** Labels of every series: the services set the first two, the scrape the others. */
const everywhere = ['app', 'replica', 'job', 'instance', 'service'];
const definition = /\b(counter|gauge|histogram|observe)(?:<[^>]*>)?\(\{\s*name: '(lanyard_[a-z_]+)',([\s\S]*?)\}[,)]/g;

const seriesOf = (kind: string, name: string, labels: string[]): [string, Set<string>][] => {
  const own = new Set([...everywhere, ...labels]);
  if (kind !== 'histogram') return [[name, own]];
  return [
    [`${name}_bucket`, new Set([...own, 'le'])],
    [`${name}_sum`, own],
    [`${name}_count`, own],
  ];
};

const definedIn = (source: string): [string, Set<string>][] =>
  [...source.matchAll(definition)].flatMap(([, kind = '', name = '', rest = '']) => {
    const [, list = ''] = /labelNames: \[([^\]]*)\]/.exec(rest) ?? [];
    return seriesOf(
      kind,
      name,
      [...list.matchAll(/'(\w+)'/g)].map(([, label = '']) => label),
    );
  });

export const existingMetrics = async (): Promise<Metrics> => {
  const files = projectFiles('apps/*/src/**/*.ts', 'libs/*/src/**/*.ts');
  const ours = files.flatMap((path) => definedIn(textOf(path)));
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const process = (await registry.getMetricsAsJSON()).flatMap(({ name, type }) => seriesOf(String(type), name, []));
  return new Map([...ours, ...process, ['up', new Set(everywhere)]]);
};

/** Metrics and labels that do not exist. */
export const expressionProblems = (written: string, metrics: Metrics): string[] => {
  const text = written.replaceAll('$__rate_interval', '5m');
  const used = new Set<string>();
  const problems: string[] = [];
  parsePromQl(text)
    .cursor()
    .iterate(({ name, node }) => {
      if (name !== 'VectorSelector') return;
      const found = selectorOf(node, text);
      const labels = metrics.get(found.name) ?? new Set();
      if (labels.size === 0) problems.push(`${found.name} is no metric`);
      const unknown = found.matchers.filter(({ label }) => labels.size > 0 && !labels.has(label));
      problems.push(...unknown.map(({ label }) => `${found.name} has no label ${label}`));
      for (const label of labels) used.add(label);
    });
  for (const [, clause = ''] of text.matchAll(/\b(?:by|on) \(([^)]*)\)/g))
    for (const label of clause.split(/,\s*/))
      if (!used.has(label)) problems.push(`no metric of it has the label ${label}`);
  return problems;
};

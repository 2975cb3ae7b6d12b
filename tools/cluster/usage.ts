/** The resources that pods use, as metrics-server measures them, beside those that they request. */
import { namespace } from './overlay.ts';
import { markdownTable } from '../lanyard/tables.ts';
import type { Kubectl, KubernetesObject } from './kubectl.ts';

const everyMs = 15_000;

interface PodMetrics {
  metadata: { labels?: Record<string, string> };
  containers: { usage: { cpu: string; memory: string } }[];
}

const cpuUnits: Record<string, number> = { n: 1e-6, u: 1e-3, m: 1, '': 1_000 };
const memoryUnits: Record<string, number> = { '': 2 ** -20, Ki: 2 ** -10, Mi: 1, Gi: 2 ** 10 };

const amount = (text: string, units: Record<string, number>) => {
  const [, number = '0', unit = ''] = /^([\d.]+)(\w*)$/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? Number.NaN);
};

/** In thousandths of a processor. */
export const millicores = (text: string) => amount(text, cpuUnits);
export const mebibytes = (text: string) => amount(text, memoryUnits);

const nameOf = (labels: Record<string, string> = {}) => labels['app.kubernetes.io/name'] ?? '';

interface Sample {
  cpu: number;
  memory: number;
}

export class Usage {
  kubectl: Kubectl;
  /** One sample for each pod and time, by service. */
  samples = new Map<string, Sample[]>();
  requests = new Map<string, Sample>();
  timer: NodeJS.Timeout | undefined;

  constructor(kubectl: Kubectl) {
    this.kubectl = kubectl;
  }

  async start() {
    const pods = await this.kubectl.list('pods', '-n', namespace);
    for (const { metadata, spec } of pods) this.recordRequest(metadata, spec);
    this.timer = setInterval(() => void this.sample().catch(() => undefined), everyMs);
    return this;
  }

  private recordRequest({ labels }: KubernetesObject['metadata'], spec: KubernetesObject['spec']) {
    const [container] = (spec?.['containers'] ?? []) as { resources: { requests: { cpu: string; memory: string } } }[];
    const { cpu = '', memory = '' } = container?.resources.requests ?? {};
    this.requests.set(nameOf(labels), { cpu: millicores(cpu), memory: mebibytes(memory) });
  }

  /** Takes no sample without metrics-server, or while it does not know the pods. */
  private async sample() {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    const { items } = JSON.parse(await this.kubectl.run(['get', '--raw', path])) as { items: PodMetrics[] };
    for (const { metadata, containers } of items)
      for (const { usage } of containers) {
        const all = this.samples.get(nameOf(metadata.labels)) ?? [];
        all.push({ cpu: millicores(usage.cpu), memory: mebibytes(usage.memory) });
        this.samples.set(nameOf(metadata.labels), all);
      }
  }

  table() {
    const rows = [...this.samples]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([name, all]) => {
        const { cpu, memory } = this.requests.get(name) ?? { cpu: 0, memory: 0 };
        const sorted = all.map((sample) => sample.cpu).toSorted((a, b) => a - b);
        const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
        const most = (of: keyof Sample) => Math.max(...all.map((sample) => sample[of]));
        return [name, ...[middle, most('cpu'), cpu, most('memory'), memory].map((n) => String(Math.round(n)))];
      });
    const head = [
      'Service',
      'CPU, median (m)',
      'CPU, most (m)',
      'requested (m)',
      'Memory, most (MiB)',
      'requested (MiB)',
    ];
    return markdownTable(head, rows);
  }

  stop() {
    clearInterval(this.timer);
  }
}

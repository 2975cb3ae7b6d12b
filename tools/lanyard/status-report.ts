import { answers, serverPorts } from './probes.ts';
import { isProcess } from './processes.ts';
import { textTable } from './tables.ts';
import type { StateFile, Unit } from './state.ts';

const ready = async (unit: Unit) => {
  if (!unit.external && !isProcess(unit.pid, unit.marker)) return false;
  if (unit.kind === 'service') return answers.service(unit.address);
  const name = unit.name as keyof typeof serverPorts;
  // As at the start: the probes have no TLS.
  return unit.tls ? answers.listener(unit.address, serverPorts[name]) : answers[name](unit.address);
};

/** The running processes, as one object for scripts. */
export const statusOf = async (file: StateFile) => {
  const { state } = file;
  const units = await Promise.all(
    state.units.map(async (unit) => ({
      kind: unit.kind,
      entry: {
        name: unit.name,
        version: unit.version,
        pid: unit.pid ?? null,
        address: unit.address,
        ready: await ready(unit),
        restarts: unit.restarts,
      },
    })),
  );
  const running = file.runningStarter() !== undefined;
  return {
    running,
    base_url: state.base_url ?? null,
    docs_url: state.base_url ? `${state.base_url}/docs` : null,
    coap_url: state.coap_urls[0] ?? null,
    coap_urls: state.coap_urls,
    coaps_urls: state.coaps_urls ?? [],
    key_file: state.key_file ?? null,
    started_at: state.started_at ?? null,
    infrastructure: units.filter((u) => u.kind === 'infrastructure').map((u) => u.entry),
    services: units.filter((u) => u.kind === 'service').map((u) => u.entry),
  };
};

export const printStatus = async (file: StateFile) => {
  const status = await statusOf(file);
  const rows = [...status.infrastructure, ...status.services].map((u) => [
    u.name,
    u.version,
    u.pid ?? '-',
    u.address,
    u.ready ? 'ready' : 'not ready',
    u.restarts,
  ]);
  const table = textTable([['name', 'version', 'pid', 'address', 'state', 'restarts'], ...rows]);
  const where = status.base_url
    ? [
        `Base URL ${status.base_url}, devices ${[...status.coaps_urls, ...status.coap_urls].join(', ')}, key in ${status.key_file}`,
      ]
    : [];
  process.stdout.write(`${[status.running ? 'running' : 'not running', ...where, table].join('\n')}\n`);
};

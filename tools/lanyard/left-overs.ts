import { processOf, stopProcess } from './processes.ts';
import type { Unit } from './state.ts';

const waitMs = 15_000;

const allKinds = ['service', 'infrastructure'] as const;

/** Stops services, then infrastructure, that a killed command of this clone left behind. `kinds`: only these. Returns their number. */
export const stopLeftOvers = async (units: readonly Unit[], kinds: readonly Unit['kind'][] = allKinds) => {
  const left = units.flatMap((unit) => {
    const pid = unit.external || !kinds.includes(unit.kind) ? undefined : processOf(unit);
    return pid === undefined ? [] : [{ ...unit, pid }];
  });
  for (const kind of kinds) {
    const ofKind = left.filter((unit) => unit.kind === kind);
    await Promise.all(ofKind.map(({ pid, stopSignal }) => stopProcess(pid, { signal: stopSignal, waitMs })));
  }
  return left.length;
};

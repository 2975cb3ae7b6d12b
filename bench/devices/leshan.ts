/** A Leshan server with everything in memory, as a process: what another LwM2M server needs for the same devices. */
import { join } from 'node:path';
import { compileJava } from '../../tools/lanyard/java-programs.ts';
import { udpPort } from '../../tools/lanyard/ports.ts';
import { root } from '../../tools/lanyard/project.ts';
import { startCommand } from '../../tools/testing/program.ts';
import { cpuSeconds } from '../machine.ts';
import { keyHex, securePrefix } from './credentials.ts';

/** Leshan gave up 3 of 3,000 observations while the machine was busy. */
const observedMin = 0.99;

/** @param paths that are observed on every device of type `simulated` */
export const startLeshan = async (paths: readonly string[]) => {
  const place = await compileJava('leshan-server', [join(root, 'bench/devices/leshan')]);
  const [coap, coaps] = [await udpPort(0), await udpPort(0)];
  const java = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', `${place}:${place}/*`, 'MemoryServer'];
  const args = [...java, String(coap), String(coaps), keyHex, securePrefix, ...paths];
  const { child, ask, stop } = await startCommand('java', args);
  const usage = async () => ({ atMs: performance.now(), cpuSeconds: cpuSeconds(child.pid) });
  return {
    coap: { url: `coap://127.0.0.1:${coap}`, usage, observedMin },
    coaps: { url: `coaps://127.0.0.1:${coaps}`, usage, observedMin },
    /** Heap size after garbage collection. */
    heapBytes: async () => Number(await ask()),
    stop,
  };
};

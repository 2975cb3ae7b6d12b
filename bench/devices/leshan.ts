/** A Leshan server with everything in memory, as a process: what another LwM2M server needs for the same devices. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runProgram } from '../../tools/lanyard/programs.ts';
import { madeOnce } from '../../tools/lanyard/made-once.ts';
import { udpPort } from '../../tools/lanyard/ports.ts';
import { root } from '../../tools/lanyard/project.ts';
import { cpuSeconds } from '../machine.ts';
import { keyHex, securePrefix } from './credentials.ts';

const source = join(root, 'bench/devices/leshan');
const files = ['pom.xml', 'MemoryServer.java'].map((name) => join(source, name));

const prepare = () =>
  madeOnce(
    join(root, '.lanyard/leshan-server/'),
    files.map((file) => readFileSync(file)),
    async (own) => {
      const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${own}`];
      await runProgram('mvn', ['-q', '-B', '-f', join(source, 'pom.xml'), ...copy]);
      await runProgram('javac', [
        '-encoding',
        'UTF-8',
        '-cp',
        `${own}/*`,
        '-d',
        own,
        join(source, 'MemoryServer.java'),
      ]);
    },
  );

/** Leshan gave up 3 of 3,000 observations while the machine was busy. */
const observedMin = 0.99;

/** @param paths that are observed on every device of type `simulated` */
export const startLeshan = async (paths: readonly string[]) => {
  const place = await prepare();
  const [coap, coaps] = [await udpPort(0), await udpPort(0)];
  const args = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', `${place}:${place}/*`, 'MemoryServer'];
  const child = spawn('java', [...args, String(coap), String(coaps), keyHex, securePrefix, ...paths], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const stop = () => void child.kill('SIGKILL');
  process.once('exit', stop);
  const ended = once(child, 'exit').then(() => {
    throw new Error('Leshan ended');
  });
  const lines = createInterface({ input: child.stdout });
  await Promise.race([once(lines, 'line'), ended]);
  ended.catch(() => undefined);
  const usage = async () => ({ atMs: performance.now(), cpuSeconds: cpuSeconds(child.pid) });
  return {
    coap: { url: `coap://127.0.0.1:${coap}`, usage, observedMin },
    coaps: { url: `coaps://127.0.0.1:${coaps}`, usage, observedMin },
    /** Heap size after garbage collection. */
    async heapBytes() {
      const answer = once(lines, 'line');
      child.stdin.write('.');
      return Number((await answer)[0]);
    },
    stop,
  };
};

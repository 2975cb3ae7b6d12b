/** Servers and loads of the DTLS benchmarks as processes, with OpenSSL as the reference if it can be compiled. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { root } from '../../tools/lanyard/project.ts';
import { startProgram } from '../../tools/testing/program.ts';
import { type Mode, pemFiles, pskHex, writeCertificates } from './settings.ts';

/** `bare`: only the work that every handshake with a pre-shared key needs. */
export type Kind = 'own' | 'openssl' | 'bare';

type Task = 'handshakes' | 'messages' | 'hold' | 'bare';

/**
 * Starts servers and loads in a folder with certificates, and with the reference if there are a C compiler and the
 * headers of OpenSSL.
 */
export class Peers {
  folder = mkdtempSync(join(tmpdir(), 'lanyard-dtls-'));
  reference = join(this.folder, 'openssl-server');
  kinds: Kind[];

  constructor(say: (text: string) => void) {
    writeCertificates(this.folder);
    const source = join(root, 'bench/dtls/openssl-server.c');
    const { status } = spawnSync('cc', ['-O2', '-o', this.reference, source, '-lssl', '-lcrypto']);
    if (status !== 0) say('no reference: needs cc and the headers of OpenSSL (libssl-dev)');
    this.kinds = status === 0 ? ['own', 'openssl'] : ['own'];
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async server(kind: Kind, mode: Mode) {
    if (kind !== 'openssl') return new Server(await startProgram(`bench/dtls/${kind}-server.ts`, mode, this.folder));
    const args = mode === 'psk' ? ['psk', pskHex] : ['ecdhe', ...pemFiles(this.folder)];
    const child = spawn(this.reference, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const stop = () => void child.kill('SIGKILL');
    process.once('exit', stop);
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    return new Server({ child, lines, port: Number(line.split(' ')[1]), stop });
  }

  /** `ended` resolves with the number of tasks done; rejects if one failed, or if none was done. */
  async load(server: Server, mode: Mode, task: Task, sockets: number, seconds = 0) {
    const args = [mode, this.folder, server.port, sockets, task, seconds].map(String);
    const { lines, stop } = await startProgram('bench/dtls/load.ts', ...args);
    const ended = once(lines, 'line').then(([line]: string[]) => {
      const [done = 0, failed = 0] = line!.split(' ').map(Number);
      if (failed > 0 || done === 0) throw new Error(`${done} ${task}, ${failed} failed`);
      return done;
    });
    return { ended, stop };
  }
}

interface ServerProcess {
  child: { stdin: { write: (text: string) => unknown } };
  lines: Interface;
  port: number;
  stop: () => void;
}

export class Server {
  private readonly process: ServerProcess;

  constructor(process: ServerProcess) {
    this.process = process;
  }

  get port() {
    return this.process.port;
  }

  /** Figures since the last call, except for connections and memory. */
  async report() {
    const answer = once(this.process.lines, 'line');
    this.process.child.stdin.write('\n');
    const [line] = (await answer) as [string];
    const [cpuMs = 0, handshakes = 0, messages = 0, connections = 0, rssKib = 0, usedKib] = line.split(' ').map(Number);
    return { cpuMs, handshakes, messages, connections, rssKib, usedKib };
  }

  stop() {
    this.process.stop();
  }
}

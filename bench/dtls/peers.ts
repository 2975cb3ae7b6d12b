/** Servers and loads of the DTLS benchmarks as processes, with OpenSSL as the reference if it can be compiled. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../tools/lanyard/project.ts';
import { startCommand, startProgram } from '../../tools/testing/program.ts';
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
    const args = mode === 'psk' ? ['psk', pskHex] : ['ecdhe', ...pemFiles(this.folder)];
    const { ask, port, stop } = await (kind === 'openssl'
      ? startCommand(this.reference, args)
      : startProgram(`bench/dtls/${kind}-server.ts`, mode, this.folder));
    /** Figures since the last call, except for connections and memory. */
    const report = async () => {
      const figures = (await ask()).split(' ').map(Number);
      const [cpuMs = 0, handshakes = 0, messages = 0, connections = 0, rssKib = 0, usedKib] = figures;
      return { cpuMs, handshakes, messages, connections, rssKib, usedKib };
    };
    return { port, report, stop };
  }

  /** `ended` resolves with the number of tasks done; rejects if one failed, or if none was done. */
  async load({ port }: { port: number }, mode: Mode, task: Task, sockets: number, seconds = 0) {
    const args = [mode, this.folder, port, sockets, task, seconds].map(String);
    const { lines, stop } = await startProgram('bench/dtls/load.ts', ...args);
    const ended = once(lines, 'line').then(([line]: string[]) => {
      const [done = 0, failed = 0] = line!.split(' ').map(Number);
      if (failed > 0 || done === 0) throw new Error(`${done} ${task}, ${failed} failed`);
      return done;
    });
    return { ended, stop };
  }
}

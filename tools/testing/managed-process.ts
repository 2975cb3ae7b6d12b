/** A process of a test that can be killed, suspended and started again with the same port and data. It ends with this process. */
import { waitUntil } from '../lanyard/probes.ts';
import { isAlive, kill, launch, stopProcess, type ProcessSpec } from '../lanyard/processes.ts';
import { sleep } from '../lanyard/project.ts';

const startAttempts = 6;
/** A killed process may leave something behind that prevents its successor from starting for a moment. */
const startAgainMs = 250;

const started = new Set<number>();
process.on('exit', () => {
  for (const pid of started) kill(pid, 'SIGKILL');
});

export class ManagedProcess {
  pid = 0;
  isPaused = false;
  /** Whether it has answered since its start. */
  isReady = false;
  /** How often it ended without being told to. */
  deaths = 0;
  /** Time limit of `ready`. */
  readyWithinMs = 90_000;
  name: string;
  spec: ProcessSpec & { stopSignal?: NodeJS.Signals };
  answers: () => Promise<boolean>;

  constructor(name: string, spec: ManagedProcess['spec'], answers: () => Promise<boolean>) {
    this.name = name;
    this.spec = spec;
    this.answers = answers;
  }

  get isRunning() {
    return isAlive(this.pid);
  }

  launch() {
    this.pid = launch(this.spec);
    started.add(this.pid);
    this.isPaused = this.isReady = false;
    // Callers of `ready` get the failure; this handles it when there are none.
    this.ready().catch(() => undefined);
  }

  async ready() {
    await waitUntil(this.name, this.answers, {
      alive: () => this.isRunning,
      hint: `See ${this.spec.logFile}`,
      timeoutMs: this.readyWithinMs,
    });
    this.isReady = true;
  }

  /** A process that gives up is started again, as its supervisor would do. */
  async start() {
    for (let attempt = 1; ; attempt++) {
      if (!this.isRunning) this.launch();
      try {
        return await this.ready();
      } catch (error) {
        if (attempt === startAttempts) throw error;
        this.deaths++;
        await sleep(startAgainMs);
      }
    }
  }

  async kill() {
    this.isReady = false;
    kill(this.pid, 'SIGKILL');
    while (this.isRunning) await sleep(5);
    started.delete(this.pid);
  }

  pause() {
    this.isPaused = true;
    kill(this.pid, 'SIGSTOP');
  }

  resume() {
    this.isPaused = false;
    kill(this.pid, 'SIGCONT');
  }

  /** Resumes the process if it is suspended, restarts it if it has ended, and waits until it is ready. */
  async heal() {
    if (this.isPaused) this.resume();
    if (!this.isRunning) this.deaths++;
    await this.start();
  }

  async stop() {
    if (this.isPaused) this.resume();
    await stopProcess(this.pid, { ...(this.spec.stopSignal && { signal: this.spec.stopSignal }), waitMs: 15_000 });
    started.delete(this.pid);
  }
}

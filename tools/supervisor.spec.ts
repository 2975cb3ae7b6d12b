import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { isAlive } from './lanyard/processes.ts';
import { Supervisor } from './lanyard/supervisor.ts';

const children: number[] = [];

const launch = (program: string): number => {
  const { pid } = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
  children.push(pid as number);
  return pid as number;
};

const lives = 'setInterval(() => undefined, 1000)';

const unitOf = (name: string, pid: number) =>
  ({ name, pid, restarts: 0 }) as never as { pid: number; restarts: number };

describe('the supervisor', () => {
  const reported: string[] = [];
  let supervisor: Supervisor | undefined;
  let now = 0;

  const supervisorOf = (unit: object, start: () => number, onChange = (): void => undefined): Supervisor =>
    new Supervisor([{ unit, launch: start }] as never, {
      onChange,
      report: (text: string) => void reported.push(text),
      now: () => now,
    });

  const supervise = (program: string): { pid: number; restarts: number } => {
    const unit = unitOf('planted', launch(program));
    supervisor = supervisorOf(unit, () => launch(program));
    return unit;
  };

  afterEach(() => {
    supervisor?.stop();
    reported.length = 0;
    now = 0;
    for (const pid of children.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  const dies = async ({ pid }: { pid: number }): Promise<void> => {
    process.kill(pid, 'SIGKILL');
    await eventually(() => !isAlive(pid));
  };

  it('starts again what was killed, counts it, and says so', async () => {
    const unit = supervise(lives);
    const { pid } = unit;
    await dies(unit);
    supervisor?.look();
    expect(reported).toEqual([`planted (pid ${pid}) died: started again in 250 ms`]);
    now = 249;
    supervisor?.look();
    expect(unit.restarts).toBe(0);
    now = 250;
    supervisor?.look();
    expect(unit).toMatchObject({ restarts: 1 });
    expect(unit.pid).not.toBe(pid);
    expect(isAlive(unit.pid)).toBe(true);
    expect(reported.at(-1)).toBe(`planted started again (pid ${unit.pid}, restarts: 1)`);
  });

  it('leaves what lives alone', () => {
    const unit = supervise(lives);
    const { pid } = unit;
    for (now = 0; now < 100_000; now += 1_000) supervisor?.look();
    expect(unit).toMatchObject({ pid, restarts: 0 });
    expect(reported).toEqual([]);
  });

  it('waits longer and longer for what dies at once, 10 s at most, and forgives after 30 s of life', async () => {
    const unit = supervise('process.exit(1)');
    const pauses: number[] = [];
    for (let n = 0; n < 8; n++) {
      const { pid } = unit;
      await eventually(() => !isAlive(pid));
      supervisor?.look();
      const [, pause] = /in (\d+) ms/.exec(reported.at(-1) ?? '') ?? [];
      pauses.push(Number(pause));
      now += Number(pause);
      supervisor?.look();
    }
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    const { pid } = unit;
    await eventually(() => !isAlive(pid));
    now += 30_001;
    supervisor?.look();
    expect(reported.at(-1)).toContain('in 250 ms');
  });

  it('looks by itself once started, and no more once stopped', async () => {
    const unit = supervise(lives);
    supervisor?.start();
    await dies(unit);
    await eventually(() => expect(reported).toHaveLength(1));
    now = 250;
    await eventually(() => expect(unit.restarts).toBe(1));
    supervisor?.stop();
  });

  it('survives a state that cannot be saved, and saves it as soon as it can', async () => {
    const unit = unitOf('planted', launch(lives));
    let isFull = true;
    let saved = 0;
    const save = (): void => {
      if (isFull) throw new Error('no space left on device');
      saved++;
    };
    supervisor = supervisorOf(unit, () => launch(lives), save);
    await dies(unit);
    supervisor.look();
    now = 250;
    supervisor.look();
    expect(unit.restarts).toBe(1);
    expect(reported.at(-1)).toBe('no space left on device; trying again');
    const said = reported.length;
    supervisor.look();
    expect(reported).toHaveLength(said);
    isFull = false;
    supervisor.look();
    supervisor.look();
    expect([saved, reported.at(-1)]).toEqual([1, 'the state is saved again']);
  });

  it('waits and tries again when a process cannot be started', async () => {
    const unit = unitOf('planted', launch(lives));
    let isFull = true;
    const start = (): number => {
      if (isFull) throw new Error('no space left on device');
      return launch(lives);
    };
    supervisor = supervisorOf(unit, start);
    await dies(unit);
    supervisor.look();
    now = 250;
    supervisor.look();
    expect(reported.at(-1)).toBe('planted could not be started: no space left on device');
    isFull = false;
    supervisor.look();
    expect(reported.at(-1)).toContain('in 500 ms');
    now += 500;
    supervisor.look();
    expect([unit.restarts, isAlive(unit.pid)]).toEqual([1, true]);
  });

  it('counts no start of a program that is missing', async () => {
    const unit = unitOf('planted', launch(lives));
    supervisor = supervisorOf(unit, () => 0);
    await dies(unit);
    supervisor.look();
    now = 250;
    supervisor.look();
    expect(reported.at(-1)).toBe('planted could not be started: its program cannot be run');
    expect(unit.restarts).toBe(0);
  });
});

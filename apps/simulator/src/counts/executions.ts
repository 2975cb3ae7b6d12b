/** Bounds the memory of a simulator that runs for months: executions of further keys are not counted. */
const rememberedMax = 200_000;

/** Counts executions by device, path and argument, so that tests can tell whether something ran twice. */
export class Executions {
  private readonly counts = new Map<string, number>();

  countExecution(device: string, path: string, args: string): void {
    const key = `${device} ${path} ${args}`;
    const before = this.counts.get(key);
    if (before === undefined && this.counts.size >= rememberedMax) return;
    this.counts.set(key, (before ?? 0) + 1);
  }

  /** `{ "sim-7 /3/0/4 0='a'": 1 }` */
  all(): Record<string, number> {
    return Object.fromEntries(this.counts);
  }
}

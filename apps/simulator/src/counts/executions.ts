/** Beyond it nothing new is remembered: a simulator that runs for months must not grow. */
const rememberedMax = 200_000;

/** How often each device executed what, with which argument: tests of a service can tell whether something ran twice. */
export class Executions {
  private readonly counts = new Map<string, number>();

  note(device: string, path: string, args: string): void {
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

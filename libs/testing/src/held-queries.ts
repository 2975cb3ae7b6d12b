/** A `query` function whose calls wait until the test ends them, each without rows: for tests of limits on concurrent queries. */
export class HeldQueries {
  private readonly held: (() => void)[] = [];

  get count(): number {
    return this.held.length;
  }

  readonly query = (): Promise<unknown[]> => new Promise((resolve) => this.held.push(() => resolve([])));

  /** Ends all queries, also those that begin when others end. */
  async endAll(): Promise<void> {
    for (let end = this.held.shift(); end; end = this.held.shift()) {
      end();
      await new Promise(setImmediate);
    }
  }

  /**
   * Calls ten times for one account, then once for another, and ends all queries. Rejects when a call does.
   *
   * @returns How many queries had begun at once after the ten calls, and how many after all calls.
   */
  async begunByTenAndOne(call: (accountId: string) => Promise<unknown>): Promise<[ofOne: number, ofBoth: number]> {
    const [many, other] = ['1'.repeat(32), '2'.repeat(32)] as const;
    const calls = Array.from({ length: 10 }, () => call(many));
    await new Promise(setImmediate);
    const ofOne = this.count;
    calls.push(call(other));
    await new Promise(setImmediate);
    const ofBoth = this.count;
    await this.endAll();
    await Promise.all(calls);
    return [ofOne, ofBoth];
  }
}

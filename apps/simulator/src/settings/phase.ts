export interface Phase {
  name: string;
  seconds: number;
  /** Names of the groups whose devices register in it. */
  arrivals: readonly string[];
  /** Of the values per second of each group. */
  valuesPercent: number;
  /** Shares of the devices that restart, and whose addresses change, as it begins. */
  restartPercent: number;
  rebindPercent: number;
}

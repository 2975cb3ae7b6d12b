export interface Phase {
  name: string;
  seconds: number;
  /** Names of the groups whose devices register in it. */
  arrivals: readonly string[];
  /** Percent of the values per second of each group. */
  valuesPercent: number;
  /** Percentages of the devices that restart, and whose addresses change, when the phase begins. */
  restartPercent: number;
  rebindPercent: number;
}

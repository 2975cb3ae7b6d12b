/**
 * The system that a rehearsal disturbs. `revive` restarts processes that ended by themselves, and returns their names;
 * `callbackHost`: the address of this machine that the dispatchers reach
 */
export interface RehearsedSystem {
  baseUrl: string;
  baseUrls: string[];
  coapUrls: string[];
  adminKey: string;
  callbackHost?: string;
  revive(): Promise<string[]>;
  deadLetters(): Promise<string[]>;
}

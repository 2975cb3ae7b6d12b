/**
 * What a rehearsal disturbs. `revive` runs again what ended by itself, and gives its names; `callbackHost`: the address of
 * this machine that the dispatchers reach
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

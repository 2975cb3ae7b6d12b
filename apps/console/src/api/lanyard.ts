import { Calls } from '@lanyard/client/browser';

/** Everything that the console asks or changes goes through here. */
export const lanyard = new Calls({ baseUrl: window.location.origin, retries: 1 });

/** Dispatchers alone on separate infrastructure, with keys that the gateway would have announced. */
import { Customer as Key, identityHeaders } from '../../tools/testing/customer.ts';
import { openSocket, type Message } from '../application.ts';
import { type BenchSystem, only } from '../system.ts';

export const dispatchersOnly = (replicas = 1) => only({ dispatcher: replicas });

/** A key and its calls for its channel, directly at a dispatcher's address. */
export class Customer extends Key {
  system: BenchSystem;
  number: number;

  /** @param accountId default: a new account */
  constructor(system: BenchSystem, number: number, accountId?: string) {
    super(accountId);
    this.system = system;
    this.number = number;
  }

  async call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${this.system.dispatcherUrl}/v2/notification/${path}`, {
      method,
      headers: identityHeaders(this, 'dispatcher', this.system.identityKey),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  }

  async listen(onMessage: (message: Message) => void, serialization?: object) {
    await this.call('PUT', 'websocket', serialization && { serialization });
    return openSocket(this.system.dispatcherUrl, this.key, onMessage, this.number);
  }
}

/** Keys that are announced to the dispatchers, each of its own account. */
export const customers = async (system: BenchSystem, count: number) => {
  const all = Array.from({ length: count }, (_, n) => new Customer(system, n));
  await Promise.all(all.map((customer) => customer.announce(system.producer)));
  return all;
};

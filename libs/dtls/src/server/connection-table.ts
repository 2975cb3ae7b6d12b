import { addressKey } from '../connection/address.js';
import { type DtlsConnection } from '../connection/connection.js';

/** Open connections by id, which is the connection id if there is one; and those without one by address. */
export class ConnectionTable {
  private readonly byId = new Map<string, DtlsConnection>();
  private readonly byAddress = new Map<string, DtlsConnection>();

  get size(): number {
    return this.byId.size;
  }

  withId(id: string): DtlsConnection | undefined {
    return this.byId.get(id);
  }

  /** @param address Of `addressKey`. */
  at(address: string): DtlsConnection | undefined {
    return this.byAddress.get(address);
  }

  add(connection: DtlsConnection): void {
    this.byId.set(connection.id, connection);
    if (connection.connectionId === undefined) this.byAddress.set(addressKey(connection.remote), connection);
  }

  remove(connection: DtlsConnection): void {
    this.byId.delete(connection.id);
    const address = addressKey(connection.remote);
    if (this.byAddress.get(address) === connection) this.byAddress.delete(address);
  }

  all(): DtlsConnection[] {
    return [...this.byId.values()];
  }
}

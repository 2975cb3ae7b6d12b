import { type Address, addressKey, sourceOf } from '../connection/address.js';
import { type DtlsConnection } from '../connection/connection.js';

/** Open connections by id, which is the connection id if there is one; those without a connection id also by address. */
export class ConnectionTable {
  private readonly byId = new Map<string, DtlsConnection>();
  private readonly byAddress = new Map<string, DtlsConnection>();
  private readonly countOf = new Map<string, number>();

  get size(): number {
    return this.byId.size;
  }

  withId(id: string): DtlsConnection | undefined {
    return this.byId.get(id);
  }

  /** @param address As `addressKey` returns it. */
  at(address: string): DtlsConnection | undefined {
    return this.byAddress.get(address);
  }

  /** Number of connections whose peer is at this source (see `sourceOf`). */
  countFrom({ address }: Address): number {
    return this.countOf.get(sourceOf(address)) ?? 0;
  }

  add(connection: DtlsConnection): void {
    const { remote } = connection;
    this.byId.set(connection.id, connection);
    this.count(remote, 1);
    if (connection.connectionId === undefined) this.byAddress.set(addressKey(remote), connection);
  }

  /** The address of a connection has changed. Such a connection has an id, and so no entry by address. */
  moved(from: Address, to: Address): void {
    this.count(from, -1);
    this.count(to, 1);
  }

  remove(connection: DtlsConnection): void {
    const { remote } = connection;
    if (!this.byId.delete(connection.id)) return;
    this.count(remote, -1);
    const address = addressKey(remote);
    if (this.byAddress.get(address) === connection) this.byAddress.delete(address);
  }

  all(): IterableIterator<DtlsConnection> {
    return this.byId.values();
  }

  private count({ address }: Address, by: 1 | -1): void {
    const source = sourceOf(address);
    const count = (this.countOf.get(source) ?? 0) + by;
    if (count > 0) this.countOf.set(source, count);
    else this.countOf.delete(source);
  }
}

/** A body that is never completely in memory: each part is read when it is sent. */
export interface BodySource {
  /** Length of the whole body. */
  readonly bytes: number;
  /** Returns exactly `length` bytes from `offset` on, both within the body. Parts may be read again, and in any order. */
  read(offset: number, length: number): Promise<Buffer>;
}

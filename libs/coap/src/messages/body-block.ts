/** A block of a body as it arrived. */
export interface BodyBlock {
  offset: number;
  more: boolean;
  /** Size of each full block. */
  bytes: number;
}

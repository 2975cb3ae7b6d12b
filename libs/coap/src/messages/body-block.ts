/** A block of a body, as it arrived. */
export interface BodyBlock {
  /** Where it begins in the body. */
  offset: number;
  /** Whether others follow. */
  more: boolean;
  /** Size of each full block. */
  bytes: number;
}

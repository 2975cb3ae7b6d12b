/** State that the device's request needs is not available yet: 5.03 with Max-Age, not an error of this service. */
export class RetryLater extends Error {
  /** Whether too many devices came at once: there will be room in a moment. */
  readonly isBurst: boolean;

  constructor(why: string, { isBurst = false } = {}) {
    super(why);
    this.name = 'RetryLater';
    this.isBurst = isBurst;
  }
}

/** State that the device's request needs is not available yet: answered with 5.03 and Max-Age, and not an error of this service. */
export class RetryLater extends Error {
  /** Whether too many devices came at once: there will be room in a moment. */
  readonly isBurst: boolean;

  constructor(why: string, { isBurst = false } = {}) {
    super(why);
    this.name = 'RetryLater';
    this.isBurst = isBurst;
  }
}

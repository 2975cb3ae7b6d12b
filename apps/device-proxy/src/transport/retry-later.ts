/** State that the device's request needs is not available yet: 5.03 with Max-Age, not an error of this service. */
export class RetryLater extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'RetryLater';
  }
}

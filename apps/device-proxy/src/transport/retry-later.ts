/** Something that the device's request needs is not there yet: 5.03 with Max-Age, and no error of this service. */
export class RetryLater extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'RetryLater';
  }
}

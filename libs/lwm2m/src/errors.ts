import { storable } from './text.js';

/** Bytes or text from outside that break the format they claim to be in. The only error the decoders throw. */
export class Malformed extends Error {
  constructor(
    /** `tlv`, `senml`, `link-format`, `path`, … */
    readonly format: string,
    readonly problem: string,
  ) {
    // Excerpts of the input can hold anything, and the event log stores the message.
    super(storable(`${format}: ${problem}`));
    this.name = 'Malformed';
  }
}

/** A parameter of a request is missing or wrong; `parameter` is its name in the query. */
export class WrongParameter extends Error {
  constructor(
    readonly parameter: string,
    readonly problem: string,
  ) {
    super(`${parameter}: ${problem}`);
    this.name = 'WrongParameter';
  }
}

export class UnsupportedFormat extends Error {
  constructor(readonly contentFormat: number | string) {
    super(`content format ${contentFormat} is not supported`);
    this.name = 'UnsupportedFormat';
  }
}

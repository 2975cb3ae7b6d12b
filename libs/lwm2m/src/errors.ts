/** Excerpts of the input can hold anything; PostgreSQL stores neither a NUL nor, in JSON, half of a surrogate pair. */
const storable = (text: string): string => Buffer.from(text.replaceAll('\0', '\ufffd')).toString();

/** Bytes or text from outside that break the format they claim to be in. The only error the decoders throw. */
export class Malformed extends Error {
  constructor(
    /** `tlv`, `senml`, `link-format`, `path`, … */
    readonly format: string,
    readonly problem: string,
  ) {
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

import { NamedError } from '@lanyard/service';
import { Result } from './states.js';

export interface PackageSource {
  /**
   * The bytes from an offset on. Throws DownloadFailed for a problem that another attempt would not solve; after any other
   * error, another attempt may follow.
   */
  read(offset: number): AsyncIterable<Buffer>;
  /** In hex, once something was read, if the source gives it. */
  readonly sha256: string | undefined;
  close(): Promise<void>;
}

/** The download has failed, and is not tried again. */
export class DownloadFailed extends NamedError {
  constructor(
    readonly result: Result,
    problem: string,
  ) {
    super(problem);
  }
}

/** The bytes downloaded so far belong to a package other than the one that the source has now. */
export const packageChanged = (): DownloadFailed =>
  new DownloadFailed(Result.integrity, 'the package changed meanwhile');

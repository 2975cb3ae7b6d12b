import { NamedError } from '@lanyard/service';
import { Result } from './states.js';

export interface PackageSource {
  /**
   * The bytes from an offset on. Throws DownloadFailed for what a later attempt does not change; any other error can be
   * followed by another attempt.
   */
  read(offset: number): AsyncIterable<Buffer>;
  /** In hex, once something was read, if the source says so. */
  readonly sha256: string | undefined;
  close(): Promise<void>;
}

/** The download ended for good. */
export class DownloadFailed extends NamedError {
  constructor(
    readonly result: Result,
    problem: string,
  ) {
    super(problem);
  }
}

/** What was downloaded belongs to another package than what the source has now. */
export const packageChanged = (): DownloadFailed =>
  new DownloadFailed(Result.integrity, 'the package changed meanwhile');

import type { ServiceError } from './service-error.js';

/** An error class of which every error says the same: `class NoSuchPath extends fixed(NotFound, 'No such path.') {}`. */
export const fixed = <Arguments extends unknown[]>(
  Base: new (...given: Arguments) => ServiceError,
  ...given: Arguments
): new () => ServiceError =>
  class extends Base {
    constructor() {
      super(...given);
    }
  };

import { Duplicate, ServiceError, ValidationFailed } from './service-error.js';

/** What is wrong with the one field that the error names. */
export class FieldInvalid extends ValidationFailed {
  constructor(name: string, message: string) {
    super([{ name, message }]);
  }
}

/** Another record of the account has the same name. */
export class NameTaken extends Duplicate {
  constructor(message: string) {
    super(message, [{ name: 'name', message: 'Already taken' }]);
  }
}

/** There are as many of something as there may be. */
export class LimitExceeded extends ServiceError {
  constructor(message: string, token?: string) {
    super({ status: 409, code: 'limit_exceeded', message, token });
  }
}

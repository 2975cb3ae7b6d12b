import { Duplicate, fixed, LimitExceeded, NotFound, ServiceError, ValidationFailed } from '@lanyard/service';

export class DeviceNotFound extends fixed(NotFound, 'No such device in this account.', 'DEVICE_NOT_FOUND') {}

export class NotRegistered extends fixed(NotFound, 'The device is not registered.', 'DEVICE_NOT_FOUND') {}

export class PathDoesNotExist extends NotFound {
  constructor() {
    // This is the spelling on the wire.
    super('The device has no such resource.', 'URI_PATH_DOES_NOT_EXISTS');
  }
}

export class NotSubscribed extends fixed(NotFound, 'The key has no such subscription.', 'SUBSCRIPTION_NOT_FOUND') {}

export class CommandNotFound extends fixed(
  NotFound,
  'The key has no command with this async-id, or the command ended too long ago.',
  'COMMAND_NOT_FOUND',
) {}

export class MalformedAsyncId extends ValidationFailed {
  constructor() {
    const message = '1 to 40 letters, digits, _ or -';
    super([{ name: 'async-id', message }], `The query needs async-id: ${message}.`, 'MALFORMED_ASYNC_ID');
  }
}

export class MalformedCommand extends ValidationFailed {
  /** `token`: MALFORMED_JSON_CONTENT for a body that is not one of a command. */
  constructor(name: string, message: string, token?: 'MALFORMED_JSON_CONTENT') {
    super([{ name, message }], `${name}: ${message}.`, token);
  }
}

export class MalformedPath extends ValidationFailed {
  constructor(name: string) {
    const message = 'Must be /<object>[/<instance>[/<resource>[/<resource instance>]]], each a number from 0 to 65534';
    super([{ name, message }], message, 'RESOURCE_NOT_FOUND');
  }
}

export class PathNotRegistered extends ValidationFailed {
  constructor(path: string) {
    const message = 'The device has registered no such object or instance';
    super([{ name: 'uri', message }], `${path}: ${message}.`, 'RESOURCE_NOT_FOUND');
  }
}

export class MalformedRules extends ValidationFailed {
  constructor(fields: { name: string; message: string }[], token?: 'MALFORMED_JSON_CONTENT') {
    super(fields, 'The presubscription rules are not valid: see fields.', token);
  }
}

export class KeyHasNoSubscriptions extends fixed(
  NotFound,
  'The account has no such key, or the key has no subscriptions.',
  'SUBSCRIPTIONS_NOT_FOUND',
) {}

export class ModelNotFound extends fixed(
  NotFound,
  'The account has no such object definition.',
  'OBJECT_MODEL_NOT_FOUND',
) {}

export class MalformedDefinition extends ValidationFailed {
  constructor(problem: string) {
    super([{ name: 'body', message: problem }], `The body is not an object definition: ${problem}.`);
  }
}

export class CoreObject extends ValidationFailed {
  constructor(objectId: number) {
    const message = `Object ${objectId} is defined by LwM2M and cannot be redefined`;
    super([{ name: 'ObjectID', message }], `${message}.`);
  }
}

export class ModelExists extends Duplicate {
  constructor(objectId: number, version: string) {
    super(`Version ${version} of object ${objectId} is already defined: delete the definition first.`);
  }
}

export class TooManyModels extends LimitExceeded {
  constructor(max: number) {
    super(`The account has ${max} object definitions: delete one first.`, 'LIMITS_EXCEEDED');
  }
}

export class TooManySubscriptions extends ServiceError {
  /** 400 on device requests, 429 elsewhere. */
  constructor(max: number, status: 400 | 429) {
    super({
      status,
      code: 'limit_exceeded',
      token: 'LIMITS_EXCEEDED',
      message: `Applications are subscribed to ${max} paths of the device, the maximum: delete subscriptions first.`,
    });
  }
}

export class NotCancellable extends ServiceError {
  /** `state`: what the command is doing, or how it ended. */
  constructor(state: string) {
    super({
      status: 409,
      code: 'conflict',
      token: 'COMMAND_NOT_WAITING',
      message: `Only a waiting command can be cancelled; this one is ${state}.`,
    });
  }
}

export class MalformedIdempotencyKey extends ValidationFailed {
  constructor() {
    const message = '1 to 255 visible ASCII characters';
    super([{ name: 'Idempotency-Key', message }], `Idempotency-Key: ${message}.`, 'MALFORMED_IDEMPOTENCY_KEY');
  }
}

export class IdempotencyKeyReused extends fixed(ServiceError, {
  status: 422,
  code: 'idempotency_key_reused',
  token: 'IDEMPOTENCY_KEY_REUSED',
  message: 'This Idempotency-Key was used with a different request: choose a new one for each request.',
}) {}

export class QueueIsFull extends ServiceError {
  /** 400 on device requests, 429 elsewhere. */
  constructor(status: 400 | 429) {
    super({
      status,
      code: 'rate_limit_exceeded',
      token: 'QUEUE_IS_FULL',
      message: 'Too many commands are waiting for the device: wait until some finish or expire.',
    });
  }
}

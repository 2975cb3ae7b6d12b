import { NotFound, ServiceError, ValidationFailed } from '@lanyard/service';

export class DeviceNotFound extends NotFound {
  constructor() {
    super('The account has no such device.', 'DEVICE_NOT_FOUND');
  }
}

export class NotRegistered extends NotFound {
  constructor() {
    super('The device is not registered now.', 'DEVICE_NOT_FOUND');
  }
}

export class PathDoesNotExist extends NotFound {
  constructor() {
    // The word is spelled so on the wire.
    super('The device has no such resource.', 'URI_PATH_DOES_NOT_EXISTS');
  }
}

export class NotSubscribed extends NotFound {
  constructor() {
    super('The key has no such subscription.', 'SUBSCRIPTION_NOT_FOUND');
  }
}

export class CommandNotFound extends NotFound {
  constructor() {
    super('The key sent no command with this async-id, or it ended too long ago.', 'COMMAND_NOT_FOUND');
  }
}

export class MalformedAsyncId extends ValidationFailed {
  constructor() {
    const message = '1 to 40 letters, digits, _ or -';
    super([{ name: 'async-id', message }], `The query needs async-id: ${message}.`, 'MALFORMED_ASYNC_ID');
  }
}

export class MalformedCommand extends ValidationFailed {
  constructor(name: string, message: string) {
    super([{ name, message }], `${name}: ${message}.`, 'MALFORMED_JSON_CONTENT');
  }
}

export class MalformedPath extends ValidationFailed {
  constructor(name: string) {
    const message = 'Must be /<object>[/<instance>[/<resource>[/<resource instance>]]], each a number';
    super([{ name, message }], message, 'RESOURCE_NOT_FOUND');
  }
}

export class MalformedRules extends ValidationFailed {
  constructor(fields: { name: string; message: string }[]) {
    super(fields, 'The presubscription rules are not valid: see fields.', 'MALFORMED_JSON_CONTENT');
  }
}

export class AsyncIdTaken extends ServiceError {
  constructor(asyncId: string) {
    super({
      status: 409,
      code: 'duplicate',
      token: 'ASYNC_ID_ALREADY_USED',
      message: `The key has sent another command with async-id ${asyncId}: choose a new one.`,
    });
  }
}

export class QueueIsFull extends ServiceError {
  /** 400 on device requests, 429 elsewhere. */
  constructor(status: 400 | 429) {
    super({
      status,
      code: 'rate_limit_exceeded',
      token: 'QUEUE_IS_FULL',
      message: 'Too many commands wait for the device: let some finish or expire.',
    });
  }
}

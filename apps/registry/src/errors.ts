import { AccessDenied, Duplicate, NotFound, ValidationFailed } from '@lanyard/service';

export class DeviceNotFound extends NotFound {
  constructor() {
    super('No such device in this account.', 'DEVICE_NOT_FOUND');
  }
}

export class GroupNotFound extends NotFound {
  constructor() {
    super('No such device group in this account.');
  }
}

export class CategoryNotFound extends NotFound {
  constructor() {
    super('No such block category: see GET /v3/device-block-categories.');
  }
}

export class PageNotFound extends NotFound {
  constructor() {
    super('Unable to find page: nothing in this list has the id given in after.');
  }
}

export class EndpointNameTaken extends Duplicate {
  constructor() {
    super('Another device of this account has this endpoint name.', [
      { name: 'endpoint_name', message: 'Already taken' },
    ]);
  }
}

export class GroupNameTaken extends Duplicate {
  constructor() {
    super('Another device group of this account has this name.', [{ name: 'name', message: 'Already taken' }]);
  }
}

/** Spec §3.1: a suspension blocks updates. */
export class DeviceSuspended extends AccessDenied {
  constructor() {
    super('The device is suspended: resume it before you change it.');
  }
}

export class MemberIdMissing extends ValidationFailed {
  constructor() {
    super([{ name: 'device_id', message: 'Required: the id of one device' }]);
  }
}

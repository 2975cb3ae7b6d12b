import { FieldInvalid, fixed, LimitExceeded, NameTaken, NotFound, ServiceError, Unavailable } from '@lanyard/service';

export class ImageNotFound extends fixed(NotFound, 'The account has no such package.') {}

export class ImageNameTaken extends fixed(
  NameTaken,
  'Another package of this account has this name, or is being uploaded with it. An interrupted upload releases its name after 5 minutes.',
) {}

export class ImageInUse extends fixed(ServiceError, {
  status: 409,
  code: 'in_use',
  message: 'An update campaign that has not ended uses the package: abort or delete the campaign first.',
}) {}

export class ImageEmpty extends fixed(FieldInvalid, 'body', 'Must be the bytes of the package') {}

export class ChecksumDiffers extends FieldInvalid {
  constructor(actual: string) {
    super('datafile_checksum', `The SHA-256 of the uploaded bytes is ${actual}`);
  }
}

export class ImageLimitExceeded extends ServiceError {
  constructor(quota: string) {
    super({
      status: 403,
      code: 'account_limit_exceeded',
      message: `The account may store at most ${quota}: delete packages that are no longer used.`,
    });
  }
}

export class UploadInterrupted extends fixed(ServiceError, {
  status: 409,
  code: 'upload_interrupted',
  message: 'The package was deleted during its upload, or the upload paused for too long: upload it again.',
}) {}

export class StorageUnavailable extends Unavailable {
  constructor(cause: unknown) {
    super('The package storage does not answer: try again in a few seconds.', cause);
  }
}

export class CampaignNotFound extends fixed(NotFound, 'No such update campaign in this account.') {}

export class CampaignNameTaken extends fixed(NameTaken, 'Another update campaign of this account has this name.') {}

export class TooManyCampaigns extends LimitExceeded {
  constructor(max: number) {
    super(`At most ${max} update campaigns may be open: wait until one ends, abort one, or delete a draft.`);
  }
}

/** The campaign is in a state that does not allow the operation. */
export class WrongState extends ServiceError {
  constructor(state: string, allowed: readonly string[]) {
    super({
      status: 409,
      code: 'wrong_state',
      message: `The update campaign is ${state}; the operation needs one that is ${allowed.join(' or ')}.`,
    });
  }
}

/** Reveals nothing about the device: a ticket is its secret. */
export class DownloadNotFound extends fixed(NotFound, 'No such download, or it has ended.') {}

export class RangeNotSatisfiable extends fixed(ServiceError, {
  status: 416,
  code: 'range_not_satisfiable',
  message: 'The range starts beyond the end of the package.',
}) {}

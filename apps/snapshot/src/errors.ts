import { fixed, MethodNotAllowed, NotFound } from '@lanyard/service';

export class DeviceNotFound extends fixed(NotFound, 'No such device in this account.') {}

export class ResourceNotFound extends fixed(
  NotFound,
  'The device has no resource at this path: GET /v3/devices/{id}/echo lists those it has.',
) {}

/** Spec §2.4 rule 4. */
export class SnapshotNotDeletable extends fixed(
  MethodNotAllowed,
  'A snapshot cannot be deleted: it ends 6 months after the last connection of the device.',
) {}

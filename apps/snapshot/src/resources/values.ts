/** A value of one resource as the device reported it. */
export interface ReportedValue {
  accountId: string;
  deviceId: string;
  path: string;
  value: Buffer;
  contentType: string;
  /** When the device measured the value, if it reported a time; otherwise when the value arrived. */
  reportedAt: string;
  /** Whether the device reported the time of measurement. */
  isMeasured: boolean;
  expiresAt: string;
  /** (epoch, sequence) is the order of arrival. */
  epoch: number;
  sequence: number;
}

/** Spec §2.4: 0 pending, 1 success, 2 failure. */
export const desiredStatus = { pending: 0, success: 1, failure: 2 } as const;

/** A value that an application wrote, and the result. */
export interface DesiredValue {
  deviceId: string;
  path: string;
  value: Buffer;
  contentType: string;
  commandId: string;
  status: (typeof desiredStatus)[keyof typeof desiredStatus];
  desiredAt: string;
  /** When it succeeded or failed; equals desiredAt while pending. */
  statusUpdatedAt: string;
}

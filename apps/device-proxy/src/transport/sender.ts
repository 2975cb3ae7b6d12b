/** With what a device proved who it is. */
export interface ShownCredential {
  id: string;
  /** Serial numbers, lower-case hex, from the device's own certificate up to the one that the trusted issuer signed. */
  serials?: readonly string[];
}

/** Who speaks, as far as the transport can prove it. */
export interface Sender {
  accountId: string;
  /** The credential belongs to this device and to no other. */
  deviceId?: string;
  /** The certificate is good for this endpoint name. */
  endpointName?: string;
  /** A device that is not in the directory is created when it registers. */
  enrols?: boolean;
  credential?: ShownCredential;
}

/** Whether the sender may speak for the device. Without security every sender may, within the account. */
export const speaksFor = (
  sender: Sender,
  device: { accountId: string; deviceId: string; endpointName: string },
): boolean =>
  sender.accountId === device.accountId &&
  (sender.deviceId === undefined || sender.deviceId === device.deviceId) &&
  (sender.endpointName === undefined || sender.endpointName === device.endpointName);

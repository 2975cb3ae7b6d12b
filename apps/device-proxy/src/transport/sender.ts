/** The credential that a device authenticated with. */
export interface ShownCredential {
  id: string;
  /** Serial numbers, lower-case hex, from the device's own certificate up to the one that the trusted issuer signed. */
  serials?: readonly string[];
}

/** The sender of a request, as far as the transport authenticates it. */
export interface Sender {
  accountId: string;
  /** The credential belongs to this device and to no other. */
  deviceId?: string;
  /** The endpoint name that the certificate is valid for. */
  endpointName?: string;
  /** A device that is not in the directory is created when it registers. */
  enrols?: boolean;
  credential?: ShownCredential;
  /** The service that the credential is valid for; absent without a credential. */
  service?: 'lwm2m' | 'bootstrap';
}

/** Whether the sender may act for the device. Without security every sender may, within the account. */
export const mayActFor = (
  sender: Sender,
  device: { accountId: string; deviceId: string; endpointName: string },
): boolean =>
  sender.accountId === device.accountId &&
  (sender.deviceId === undefined || sender.deviceId === device.deviceId) &&
  (sender.endpointName === undefined || sender.endpointName === device.endpointName);

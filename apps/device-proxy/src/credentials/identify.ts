import type { X509Certificate } from 'node:crypto';
import type { DeviceCredentialChanged } from '@lanyard/contracts';
import { endpointNameIn } from './certificate-names.js';
import { isInDates } from './certificate-path.js';
import type { Sender, ShownCredential } from '../transport/sender.js';

const clientAuthentication = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';

/** Whether the certificate is within its dates and not restricted to servers. */
export const isUsable = (x509: X509Certificate, nowMs: number): boolean => {
  // Despite its name, this contains extended key usages; undefined if the certificate does not restrict them.
  const usages = x509.keyUsage as string[] | undefined;
  const forClients = usages?.some((usage) => usage === clientAuthentication || usage === anyUsage) ?? true;
  return forClients && isInDates(x509, nowMs);
};

/**
 * The sender that a credential identifies. undefined: a certificate of a trusted issuer without a usable name. Each connection
 * keeps a sender, so it is built as one object: one made with `...` takes half as much memory again.
 */
export const senderOf = (
  credential: DeviceCredentialChanged,
  shown: ShownCredential,
  x509?: X509Certificate,
): Sender | undefined => {
  const { accountId, deviceId, kind, enrolment, endpointNameFrom = 'common_name', service = 'lwm2m' } = credential;
  if (kind !== 'authority')
    return deviceId === undefined ? undefined : { accountId, deviceId, service, credential: shown };
  const endpointName = x509 && endpointNameIn(x509, endpointNameFrom);
  if (endpointName === undefined) return undefined;
  return { accountId, endpointName, enrols: enrolment === true, service, credential: shown };
};

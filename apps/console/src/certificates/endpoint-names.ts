import type { TrustedCertificate } from '@lanyard/client/browser';

type Source = TrustedCertificate['endpoint_name_from'];

const labels: Record<Source, string> = {
  common_name: 'Common name of the subject',
  san_uri: 'URI in the SubjectAltName',
  san_dns: 'Host name in the SubjectAltName',
};

/** The fields in which certificates of an authority can have the endpoint name of their device. */
export const endpointNameSources = (Object.keys(labels) as Source[]).map((value) => ({ value, label: labels[value] }));

export const endpointNameSource = ({ endpoint_name_from: source }: TrustedCertificate): string => labels[source];

import type { TrustedCertificate } from '@lanyard/client/browser';
import { usePages } from '../api/pages.ts';
import { type Column, counted, Empty, Listing, moment, Opens, Page, recordActions, Status } from '../ui/index.ts';
import { CertificateDialog } from './certificate-dialog.tsx';
import { endpointNameSource } from './endpoint-names.ts';

const list = 'GET /v3/trusted-certificates';

const State = ({ certificate: { status, valid, verified } }: { certificate: TrustedCertificate }) => {
  if (!valid) return <Status color="orange">expired</Status>;
  if (!verified) return <Status color="orange">not verified</Status>;
  return status === 'ACTIVE' ? <Status color="teal">trusted</Status> : <Status color="gray">inactive</Status>;
};

const columns: readonly Column<TrustedCertificate>[] = [
  { title: 'Authority', cell: ({ name, subject }) => name || subject, more: ({ name, subject }) => name && subject },
  { title: 'State', cell: (certificate) => <State certificate={certificate} /> },
  {
    title: 'For',
    cell: ({ service }) => (service === 'bootstrap' ? 'bootstrapping' : 'LwM2M'),
    more: (certificate) => `endpoint name: ${endpointNameSource(certificate)}`,
  },
  { title: 'Unknown devices', cell: ({ enrollment_mode: enrolls }) => (enrolls ? 'are created' : 'are refused') },
  {
    title: 'Expires',
    cell: ({ validity }) => moment(validity),
    more: ({ revoked_serials: { length: n } }) => n > 0 && `${counted(n, 'certificate')} revoked`,
  },
  recordActions({
    what: ({ name, subject }) => `the certificate ${name || subject}`,
    needs: 'devices.credentials for all devices',
    Dialog: CertificateDialog,
    removal: 'DELETE /v3/trusted-certificates/{id}',
    changes: [list],
    consequence: 'Devices with certificates of this authority are disconnected, and their registrations end.',
  }),
];

const Certificates = () => (
  <Listing
    answer={usePages(list, {})}
    columns={columns}
    empty={
      <Empty icon="locked" title="No trusted certificates yet">
        Devices with certificates need one: add the certificate of the authority that signs theirs.
      </Empty>
    }
  />
);

/** The authorities whose certificates identify devices. */
const CertificatesPage = () => (
  <Page
    title="Certificates"
    about="Authorities that sign the certificates of devices"
    needs="devices.read for all devices"
    actions={
      <Opens label="Add a certificate" needs="devices.credentials for all devices" isMain Dialog={CertificateDialog} />
    }
  >
    <Certificates />
  </Page>
);

export default CertificatesPage;

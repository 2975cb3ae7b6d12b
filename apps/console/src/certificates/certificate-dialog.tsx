import type { TrustedCertificate } from '@lanyard/client/browser';
import { Code, Select, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useSave } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { FormDialog, partsOf, type RecordDialogProps, useFields } from '../ui/index.ts';
import { endpointNameSources } from './endpoint-names.ts';

const services = [
  { value: 'lwm2m' as const, label: 'LwM2M' },
  { value: 'bootstrap' as const, label: 'bootstrapping only' },
];

/** Adds the certificate of an authority, or changes how one is trusted. */
export const CertificateDialog = ({ record, onClose }: RecordDialogProps<TrustedCertificate>) => {
  const { account_id: accountId } = useSession();
  const { values, text, toggle, choice } = useFields({
    name: record?.name ?? '',
    certificate: record?.certificate ?? '',
    service: (record?.service ?? 'lwm2m') as TrustedCertificate['service'] | null,
    endpointNameFrom: 'common_name' as TrustedCertificate['endpoint_name_from'] | null,
    signature: '',
    enrolls: record?.enrollment_mode ?? false,
    isActive: record?.status !== 'INACTIVE',
    revoked: record?.revoked_serials.join('\n') ?? '',
  });
  const { change, save } = useSave('/v3/trusted-certificates', record);
  const signature = values.signature.trim();
  // Without the signature, the certificate stays inactive.
  const canBeActive = record === undefined || record.verified || signature !== '';
  const submit = () => {
    const status = values.isActive || (record && !record.verified) ? 'ACTIVE' : 'INACTIVE';
    const trust = {
      name: values.name.trim(),
      enrollment_mode: values.enrolls,
      ...(signature !== '' && { signature }),
      ...(record && canBeActive && { status }),
    } as const;
    const { certificate, service, endpointNameFrom } = values;
    const others = record
      ? { revoked_serials: partsOf(values.revoked) }
      : { certificate, service, endpoint_name_from: endpointNameFrom };
    save({ ...trust, ...others } as Parameters<typeof save>[0], onClose);
  };
  return (
    <FormDialog
      title={record ? `Change the certificate ${record.name || record.subject}` : 'Add a trusted certificate'}
      verb={record ? 'Save' : 'Add'}
      needs="devices.credentials for all devices"
      change={change}
      onSubmit={submit}
      onClose={onClose}
      unavailable={values.certificate.trim() === '' ? 'Paste the certificate in PEM.' : undefined}
    >
      <TextInput label="Name" maxLength={128} data-autofocus {...text('name')} />
      {!record && (
        <>
          <Textarea
            label="Certificate of the authority, in PEM"
            placeholder="-----BEGIN CERTIFICATE-----"
            autosize
            minRows={4}
            maxRows={10}
            {...text('certificate')}
          />
          <Select label="For" data={services} allowDeselect={false} {...choice('service')} />
          <Select
            label="Endpoint name"
            description="Where the certificates of devices have it: LwM2M recommends the common name. It cannot be changed later"
            data={endpointNameSources}
            allowDeselect={false}
            {...choice('endpointNameFrom')}
          />
        </>
      )}
      {!record?.verified && (
        <>
          <Textarea
            label="Signature"
            description="Proves that the authority is yours. Without it, the certificate is stored but not trusted"
            autosize
            maxRows={4}
            {...text('signature')}
          />
          <Text size="xs" c="dimmed">
            Make it with the key of the authority:{' '}
            <Code className="wrap">{`printf %s ${accountId} | openssl dgst -sha256 -sign ca.key | base64 -w0`}</Code>
          </Text>
        </>
      )}
      <Switch
        label="Create unknown devices"
        description="A device that first connects with a certificate of the authority is created"
        {...toggle('enrolls')}
      />
      {record && (
        <Textarea
          label="Revoked serial numbers"
          description="In hexadecimal. Devices that use such a certificate are disconnected, and their connections are rejected"
          autosize
          minRows={2}
          maxRows={8}
          {...text('revoked')}
        />
      )}
      {record?.verified && (
        <Switch
          label="Trusted"
          description="Otherwise, devices with certificates of the authority are disconnected, and their connections are rejected"
          {...toggle('isActive')}
        />
      )}
    </FormDialog>
  );
};

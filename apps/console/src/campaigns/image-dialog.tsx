import { FileInput, SegmentedControl, TextInput } from '@mantine/core';
import { useUpload } from '../api/queries.ts';
import { FormDialog, LeaveQuestion, useFields } from '../ui/index.ts';

/** Kinds of packages, by the LwM2M object that installs them. */
const kinds = [
  { value: '5', label: 'Firmware' },
  { value: '9', label: 'Software package' },
];

/** As in the API, which refuses a larger one once its upload has begun. */
const sizeMax = 67_108_864;
const tooLarge = 'A package has at most 64 MiB.';

/** Stores a package: a firmware image, or software. */
export const ImageDialog = ({ onClose }: { onClose: () => void }) => {
  const { values, text, choice, set } = useFields({
    file: null as File | null,
    kind: '5',
    name: '',
    version: '',
    packageName: '',
  });
  const { upload, begin, stop } = useUpload('POST /v3/firmware-images', ['GET /v3/firmware-images']);
  const { file, kind } = values;
  const isSoftware = kind === '9';
  const [name, version, packageName] = [values.name.trim(), values.version.trim(), values.packageName.trim()];
  const isTooLarge = file !== null && file.size > sizeMax;
  const choose = (next: File | null): void => {
    set('file', next);
    if (next && values.name === '') set('name', next.name);
  };
  const submit = (): void => {
    if (!file) return;
    const software = isSoftware && ({ object: 9, package_name: packageName } as const);
    begin(file, { name, version, ...software }, onClose);
  };
  const missing = [
    !file && 'Choose a file.',
    isTooLarge && tooLarge,
    name === '' && 'Enter a name.',
    version === '' && 'Enter the version.',
    isSoftware && packageName === '' && 'Enter the name of the package on devices.',
  ].find((one) => one !== false);
  return (
    <FormDialog
      title="Upload a package"
      verb="Upload"
      needs="campaigns for all devices"
      change={upload}
      onSubmit={submit}
      onStop={stop}
      onClose={onClose}
      unavailable={missing}
    >
      <SegmentedControl data={kinds} aria-label="Kind" {...choice('kind')} />
      <FileInput
        label="File"
        placeholder="Choose a file"
        error={isTooLarge && tooLarge}
        value={file}
        onChange={choose}
      />
      <TextInput label="Name" {...text('name')} />
      <TextInput
        label="Version"
        description={`As devices report it after the update, in ${isSoftware ? '/9/n/1' : '/3/0/3'}`}
        {...text('version')}
      />
      {isSoftware && (
        <TextInput label="Package" description="Its name on devices, in /9/n/0" {...text('packageName')} />
      )}
      <LeaveQuestion isRunning={upload.isPending}>
        The package is being uploaded. If you leave, the upload stops, and the package is not stored.
      </LeaveQuestion>
    </FormDialog>
  );
};

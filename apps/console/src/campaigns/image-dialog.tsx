import { FileInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../api/queries.ts';
import { FormDialog } from '../ui/form-dialog.tsx';

/** An upload over a slow connection. */
const uploadMaxMs = 600_000;

/** Stores a firmware image. */
export const ImageDialog = ({ onClose }: { onClose: () => void }) => {
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [version, setVersion] = useState('');
  const upload = useChange('POST /v3/firmware-images', ['GET /v3/firmware-images'], { timeoutMs: uploadMaxMs });
  const choose = (next: File | null): void => {
    setFile(next);
    if (next && name === '') setName(next.name);
  };
  const submit = async (): Promise<void> => {
    if (!file) return;
    const body = new Uint8Array(await file.arrayBuffer());
    upload.mutate({ query: { name: name.trim(), version: version.trim() }, body }, { onSuccess: onClose });
  };
  const missing = !file ? 'Choose a file.' : name.trim() === '' ? 'Enter a name.' : 'Enter the version.';
  return (
    <FormDialog
      title="Upload a firmware image"
      verb="Upload"
      needs="campaigns"
      change={upload}
      onSubmit={() => void submit()}
      onClose={onClose}
      unavailable={file && name.trim() !== '' && version.trim() !== '' ? undefined : missing}
    >
      <FileInput label="Image" placeholder="Choose a file" value={file} onChange={choose} />
      <TextInput label="Name" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <TextInput
        label="Version"
        description="As devices report it after the update, in /5/0/7 or /3/0/3"
        value={version}
        onChange={({ currentTarget }) => setVersion(currentTarget.value)}
      />
    </FormDialog>
  );
};

import { Anchor, Button, Code, FileInput, Group, Modal, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { lanyard } from '../api/lanyard.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Failure } from '../ui/failure.tsx';
import { count } from '../ui/format.ts';
import { ActionButton } from '../ui/permitted.tsx';
import { csvRows } from './csv.ts';

const everyMs = 1_000;
const shownErrors = 100;

const Errors = ({ id, n }: { id: string; n: number }) => {
  const { data, error } = useQuery({
    queryKey: ['GET /v3/device-imports/{id}/errors', id],
    queryFn: async () => csvRows(String(await lanyard.call('GET /v3/device-imports/{id}/errors', { path: { id } }))),
  });
  const [head = [], ...rows] = data ?? [];
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {n === 1 ? '1 row has an error' : `${count(n)} rows have errors`}
      </Text>
      {error && <Failure error={error} />}
      <ScrollArea.Autosize mah={260} viewportProps={{ tabIndex: 0, 'aria-label': 'Errors of the import' }}>
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              {head.map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, shownErrors).map((cells, at) => (
              <Table.Tr key={at}>
                {head.map((name, column) => (
                  <Table.Td key={name} className="wrap">
                    {cells[column]}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Anchor href={`/v3/device-imports/${id}/errors`} download size="sm">
        Download the error report
      </Anchor>
    </Stack>
  );
};

const ImportProgress = ({ id }: { id: string }) => {
  const client = useQueryClient();
  const { data, error } = useRead('GET /v3/device-imports/{id}', { path: { id } }, { everyMs });
  const isOver = data?.status === 'completed';
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: ['GET /v3/devices'] });
  }, [isOver, client]);
  if (error) return <Failure error={error} />;
  if (!data) return <Progress value={0} aria-label="The import begins" />;
  const { processed_count: processed, total_count: total, errors_count: errors } = data;
  return (
    <Stack gap="md" role="status">
      <Progress
        value={total === 0 ? 0 : (processed / total) * 100}
        animated={!isOver}
        aria-label="Rows that are done"
      />
      <Text size="sm">
        {count(processed)} of {count(total)} rows are done, {count(processed - errors)} devices have been created.
        {data.waits_for !== null && ' The account is suspended: the import continues when it is resumed.'}
      </Text>
      {isOver && errors > 0 && <Errors id={id} n={errors} />}
    </Stack>
  );
};

/** Creates devices from a CSV file. */
export const ImportDialog = ({ onClose }: { onClose: () => void }) => {
  const [file, setFile] = useState<File | null>(null);
  const start = useChange('POST /v3/device-imports', []);
  const begin = async (): Promise<void> => {
    if (file) start.mutate({ query: { name: file.name }, body: await file.text() });
  };
  return (
    <Modal opened onClose={onClose} title="Import devices" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        {!start.data && (
          <>
            <Text size="sm">
              A CSV file whose first line names fields of a device, for example{' '}
              <Code>endpoint_name,endpoint_type,serial_number</Code>. Each further line creates one device.
            </Text>
            <FileInput
              label="CSV file"
              placeholder="Choose a file"
              accept=".csv,text/csv"
              value={file}
              onChange={setFile}
            />
          </>
        )}
        {start.error && <Failure error={start.error} />}
        {start.data && <ImportProgress id={start.data.id} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          {!start.data && (
            <ActionButton
              needs="devices.write"
              loading={start.isPending}
              unavailable={file ? undefined : 'Choose a file first.'}
              onClick={() => void begin()}
            >
              Start the import
            </ActionButton>
          )}
        </Group>
      </Stack>
    </Modal>
  );
};

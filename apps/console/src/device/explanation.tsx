import { Alert, Text } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { counted, Failure } from '../ui/index.ts';

/** What has to happen next, in a sentence. */
export const Explanation = ({ deviceId }: { deviceId: string }) => {
  const { data, error } = useRead('GET /v3/explain', { query: { device_id: deviceId, limit: 2 } }, { everyMs: 10_000 });
  if (error) return <Failure error={error} />;
  if (!data) return null;
  return (
    <Alert color="blue" variant="light" title="What it waits for" className="wrap">
      <Text size="sm">{data.waits_for}</Text>
      {data.left_out.length > 0 && (
        <Text size="sm">
          {counted(data.left_out.length, 'service')} did not answer:{' '}
          {data.left_out.map(({ service, reason }) => `${service} (${reason})`).join(', ')}
        </Text>
      )}
    </Alert>
  );
};

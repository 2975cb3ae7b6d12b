import { Alert, Text } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { Answered, LeftOut } from '../ui/index.ts';

/** A sentence about what has to happen next. */
export const Explanation = ({ deviceId }: { deviceId: string }) => (
  <Answered
    answer={useRead('GET /v3/explain', { query: { device_id: deviceId, limit: 2 } }, { everyMs: 10_000 })}
    height={72}
  >
    {({ waits_for: sentence, left_out: leftOut }) => (
      <Alert color="blue" variant="light" title="What it waits for" className="wrap">
        <Text size="sm">{sentence}</Text>
        <LeftOut services={leftOut} />
      </Alert>
    )}
  </Answered>
);

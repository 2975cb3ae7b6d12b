import { SimpleGrid, Text } from '@mantine/core';
import type { AnswerOf } from '@lanyard/client/browser';
import { count, Empty, Figure, PageLink, Panel } from '../ui/index.ts';
import { percentOf, totalsOf } from './device-totals.ts';

type Devices = AnswerOf<'GET /v3/statistics'>['devices'];

/** How many devices are in which state; each figure leads to those devices. */
export const Totals = ({ devices }: { devices: Devices }) => {
  if (!devices)
    return (
      <Panel title="Devices">
        <Text c="dimmed">The registry does not answer at the moment.</Text>
      </Panel>
    );
  if (devices.total === 0)
    return (
      <Panel>
        <Empty icon="devices" title="No devices yet" command="npm run device -- --secure">
          Start a simulated thermometer in another terminal. It appears here as soon as it registers.
        </Empty>
      </Panel>
    );
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
      {totalsOf(devices).map(({ label, n, search }) => (
        <Figure
          key={label}
          label={label}
          more={n > 0 && n < devices.total ? percentOf(n, devices.total) : undefined}
          share={n / devices.total}
        >
          <PageLink to="/devices" search={search} fz="inherit" fw="inherit" c="inherit">
            {count(n)}
          </PageLink>
        </Figure>
      ))}
    </SimpleGrid>
  );
};

import { Grid } from '@mantine/core';
import { useRefusal } from '../api/permissions.ts';
import { Answered, Page, Permitted } from '../ui/index.ts';
import { Attention } from './attention.tsx';
import { NewestEvents } from './newest-events.tsx';
import { Rates, RatesWaiting, useStatistics } from './rates.tsx';
import { Totals } from './totals.tsx';

const Figures = () => {
  const answer = useStatistics();
  if (answer.data === undefined && answer.error === null) return <RatesWaiting />;
  return (
    <Answered answer={answer}>
      {(statistics) => (
        <>
          <Totals devices={statistics.devices} />
          <Rates statistics={statistics} />
        </>
      )}
    </Answered>
  );
};

const allDevices = 'devices.read for all devices';

const FleetPage = () => {
  const seesAll = useRefusal(allDevices) === undefined;
  return (
    <Page title="Fleet" about="The last hour, refreshed every ten seconds">
      <Permitted needs={allDevices}>
        <Figures />
      </Permitted>
      <Grid gap="md">
        {seesAll && (
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Attention />
          </Grid.Col>
        )}
        <Grid.Col span={{ base: 12, md: seesAll ? 7 : 12 }}>
          <NewestEvents />
        </Grid.Col>
      </Grid>
    </Page>
  );
};

export default FleetPage;

import { Grid } from '@mantine/core';
import { Page, Permitted } from '../ui/index.ts';
import { Attention } from './attention.tsx';
import { NewestEvents } from './newest-events.tsx';
import { Rates, RatesWaiting, useStatistics } from './rates.tsx';
import { Totals } from './totals.tsx';

const Figures = () => {
  const { data, error, refetch } = useStatistics();
  if (!data) return <RatesWaiting error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Totals devices={data.devices} />
      <Rates statistics={data} />
    </>
  );
};

const FleetPage = () => (
  <Page title="Fleet" about="The last hour, read again every ten seconds">
    <Permitted needs="devices.read for all devices">
      <Figures />
    </Permitted>
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Permitted needs="devices.read for all devices">
          <Attention />
        </Permitted>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <NewestEvents />
      </Grid.Col>
    </Grid>
  </Page>
);

export default FleetPage;

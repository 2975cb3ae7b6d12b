import type { UpdateCampaign } from '@lanyard/client/browser';
import { Badge } from '@mantine/core';

const colors: Record<UpdateCampaign['state'], string> = {
  draft: 'gray',
  scheduled: 'blue',
  running: 'teal',
  paused: 'orange',
  stopping: 'orange',
  done: 'teal',
  aborted: 'red',
};

/** The state of a campaign in a word and a colour. */
export const CampaignState = ({ state }: { state: UpdateCampaign['state'] }) => (
  <Badge variant="dot" color={colors[state]} tt="none" fw={500} radius="sm">
    {state}
  </Badge>
);

import type { FirmwareImage, UpdateCampaign } from '@lanyard/client/browser';
import { Status, type StatusColor } from '../ui/index.ts';

const colors: Record<UpdateCampaign['state'], StatusColor> = {
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
  <Status color={colors[state]}>{state}</Status>
);

export const isOver = ({ state }: UpdateCampaign): boolean => state === 'done' || state === 'aborted';

type Package = Pick<FirmwareImage, 'package_object' | 'package_name'>;

/** The kind and name of a package, by the LwM2M object that installs it. */
export const packageOf = ({ package_object: object, package_name: name }: Package): string =>
  object === 9 ? `software ${name ?? ''}` : 'firmware';

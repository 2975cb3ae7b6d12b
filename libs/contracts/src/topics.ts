import { AccessAccounts, AccessKeys } from './access.js';
import { BootstrapProfiles } from './bootstrap-profiles.js';
import { CampaignsCommands } from './campaigns-commands.js';
import { ChannelsDrops } from './channels-drops.js';
import { ChannelsState } from './channels-state.js';
import { DeviceBootstraps } from './device-bootstraps.js';
import { DeviceCommandResults, DeviceCommands } from './device-commands.js';
import { DeviceContacts } from './device-contacts.js';
import { DeviceCredentials } from './device-credentials.js';
import { DeviceEvents } from './device-events.js';
import { DeviceGroups } from './device-groups.js';
import { DeviceLifecycle } from './device-lifecycle.js';
import { DeviceModels } from './device-models.js';
import { DeviceSelectionPages, DeviceSelections } from './device-selections.js';
import { DeviceSessions } from './device-sessions.js';
import { DeviceValues } from './device-values.js';
import { SubscriptionsState } from './subscriptions-state.js';
import type { Service, Topic } from './topic.js';

/** A topic whose type of values does not matter. */
export type TopicDescription = Omit<Topic<unknown>, 'key' | 'schema' | 'delivery' | 'text'>;

export const topics = [
  DeviceLifecycle,
  DeviceContacts,
  DeviceSessions,
  DeviceValues,
  DeviceCommands,
  DeviceCommandResults,
  SubscriptionsState,
  ChannelsState,
  ChannelsDrops,
  AccessKeys,
  AccessAccounts,
  DeviceCredentials,
  DeviceGroups,
  DeviceEvents,
  DeviceModels,
  DeviceBootstraps,
  BootstrapProfiles,
  DeviceSelections,
  DeviceSelectionPages,
  CampaignsCommands,
] as const;

export const topicsOf = (service: Service): TopicDescription[] =>
  (topics as readonly TopicDescription[]).filter(({ producers, consumers }) =>
    [...producers, ...consumers].includes(service),
  );

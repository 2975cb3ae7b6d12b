import type { IconName } from '../ui/index.ts';

export interface NavigationItem {
  path: string;
  label: string;
  icon: IconName;
}

/** The navigation, from top to bottom. */
export const navigation: readonly NavigationItem[] = [
  { path: '/', label: 'Fleet', icon: 'fleet' },
  { path: '/devices', label: 'Devices', icon: 'devices' },
  { path: '/groups', label: 'Groups', icon: 'columns' },
  { path: '/channels', label: 'Channels', icon: 'channels' },
  { path: '/campaigns', label: 'Campaigns', icon: 'campaigns' },
  { path: '/bootstrap', label: 'Bootstrap', icon: 'download' },
  { path: '/certificates', label: 'Certificates', icon: 'locked' },
  { path: '/keys', label: 'Keys', icon: 'keys' },
  { path: '/account', label: 'Account', icon: 'account' },
];

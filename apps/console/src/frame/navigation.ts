import type { Permission } from '../api/permissions.ts';
import type { IconName } from '../ui/icon.tsx';

export interface NavigationItem {
  path: string;
  label: string;
  icon: IconName;
  /** What a page shows needs it; without it, the page says so. */
  needs?: Permission;
}

/** The navigation, from top to bottom. */
export const navigation: readonly NavigationItem[] = [
  { path: '/', label: 'Fleet', icon: 'fleet' },
  { path: '/devices', label: 'Devices', icon: 'devices', needs: 'devices.read' },
  { path: '/groups', label: 'Groups', icon: 'columns', needs: 'devices.read' },
  { path: '/channels', label: 'Channels', icon: 'channels', needs: 'notifications' },
  { path: '/campaigns', label: 'Campaigns', icon: 'campaigns', needs: 'campaigns' },
  { path: '/bootstrap', label: 'Bootstrap', icon: 'download', needs: 'devices.read' },
  { path: '/keys', label: 'Keys', icon: 'keys', needs: 'admin' },
  { path: '/account', label: 'Account', icon: 'account' },
];

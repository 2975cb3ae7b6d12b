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
];

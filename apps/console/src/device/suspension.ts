import type { Device } from '@lanyard/client/browser';

/** Why a device is suspended, and since when. */
interface Reason {
  by: 'operator' | 'system';
  category: string | null;
  description: string | null;
  since: string | null;
}

/** What an operator can do: a device that only the system suspended is not resumed by an operator. */
export const suspensionVerb = ({ operator_suspended: isSuspended }: Pick<Device, 'operator_suspended'>) =>
  isSuspended ? 'Resume' : 'Suspend';

type Suspended = Pick<
  Device,
  | 'operator_suspended'
  | 'last_operator_suspended_category'
  | 'last_operator_suspended_description'
  | 'last_operator_suspended_updated_at'
  | 'system_suspended'
  | 'last_system_suspended_category'
  | 'last_system_suspended_description'
  | 'last_system_suspended_updated_at'
>;

/** The reasons of the suspensions that hold now. The record also keeps those of earlier ones. */
export const reasonsOf = (device: Suspended): Reason[] => {
  const operator: Reason = {
    by: 'operator',
    category: device.last_operator_suspended_category,
    description: device.last_operator_suspended_description,
    since: device.last_operator_suspended_updated_at,
  };
  const system: Reason = {
    by: 'system',
    category: device.last_system_suspended_category,
    description: device.last_system_suspended_description,
    since: device.last_system_suspended_updated_at,
  };
  return [...(device.operator_suspended ? [operator] : []), ...(device.system_suspended ? [system] : [])];
};

import type { DeviceEventReported } from './device-events.js';

/**
 * Actions of operators, as codes of the event log: from 500 on, beyond the tables of the specification. Suspension,
 * creation and deletion of a single device are on device.lifecycle, with their actor.
 */
export const operatorActions = {
  SYS_500: 'Account created',
  SYS_501: 'Account changed',
  SYS_502: 'Account suspended',
  SYS_503: 'Account returned to service',
  SYS_504: 'User created',
  SYS_505: 'User changed',
  SYS_506: 'User signed out of all sessions',
  SYS_507: 'User deleted',
  SYS_508: 'Signed in',
  SYS_510: 'API key created',
  SYS_511: 'API key changed',
  SYS_512: 'API key switched off',
  SYS_513: 'API key switched on',
  SYS_514: 'API key reset: it has a new secret',
  SYS_515: 'API key rotated: it has a new secret beside the one before',
  SYS_516: 'Overlap of a rotation ended: the secret before is valid no longer',
  SYS_517: 'API key deleted',
  SYS_520: 'Key group created',
  SYS_521: 'Key group changed',
  SYS_522: 'Key group deleted',
  SYS_523: 'Added to a key group',
  SYS_524: 'Removed from a key group',
  SYS_530: 'Application created',
  SYS_531: 'Application changed',
  SYS_532: 'Application deleted',
  SYS_533: 'Access key created',
  SYS_534: 'Access key changed',
  SYS_535: 'Access key deleted',
  SYS_540: 'Device group created',
  SYS_541: 'Device group changed',
  SYS_542: 'Device group deleted',
  SYS_543: 'Device added to a group',
  SYS_544: 'Device removed from a group',
  SYS_545: 'Device query created',
  SYS_546: 'Device query changed',
  SYS_547: 'Device query deleted',
  SYS_550: 'Devices suspended by group or filter',
  SYS_551: 'Devices resumed by group or filter',
  SYS_552: 'Import of devices started',
  SYS_553: 'Import of devices deleted',
  SYS_560: 'Credential of a device created',
  SYS_561: 'Credential of a device withdrawn',
  SYS_562: 'Trusted certificate added',
  SYS_563: 'Trusted certificate changed',
  SYS_564: 'Trusted certificate withdrawn',
  SYS_565: 'Bootstrap profile created',
  SYS_566: 'Bootstrap profile changed',
  SYS_567: 'Bootstrap profile deleted',
  SYS_570: 'Device changed',
  SYS_571: 'Object model created',
  SYS_572: 'Object model deleted',
  SYS_580: 'Notification channel created',
  SYS_581: 'Notification channel changed',
  SYS_582: 'Notification channel deleted',
  SYS_583: 'Signing secret created',
  SYS_584: 'Signing secret deleted',
  SYS_585: 'Presubscriptions changed',
  SYS_586: 'Presubscriptions deleted',
  SYS_590: 'Package uploaded',
  SYS_591: 'Package deleted',
  SYS_592: 'Update campaign created',
  SYS_593: 'Update campaign changed',
  SYS_594: 'Update campaign started',
  SYS_595: 'Update campaign paused',
  SYS_596: 'Update campaign resumed',
  SYS_597: 'Update campaign stopped',
  SYS_598: 'Update campaign deleted',
} as const;

export type OperatorAction = keyof typeof operatorActions;

export interface Actor {
  keyId: string;
  /** The account of the key: an administrator of the installation also acts in other accounts. */
  accountId: string;
  requestId: string;
}

/** The target. `kind`: the `object` of its record, for example `api-key`. */
export interface Target {
  kind: string;
  id: string;
  name?: string | undefined;
}

export interface Done {
  eventId: string;
  /** The account of the target, whose event log gets the entry. */
  accountId: string;
  actor: Actor;
  target: Target;
  occurredAt: string;
  deviceId?: string;
  /** The changed fields; never a secret. */
  changes?: Record<string, string>;
  data?: Record<string, string>;
}

/** The action of an operator, as an entry of the event log of the account. */
export const operatorAction = (action: OperatorAction, done: Done): DeviceEventReported => {
  const { eventId, accountId, actor, target, occurredAt, deviceId, changes, data } = done;
  return {
    eventId,
    accountId,
    ...(deviceId !== undefined && { deviceId }),
    eventCode: action,
    description: target.name ? `${operatorActions[action]}: ${target.name}` : operatorActions[action],
    ...(changes && { changes }),
    data: {
      ...data,
      target: target.kind,
      target_id: target.id,
      actor_key_id: actor.keyId,
      actor_account_id: actor.accountId,
      request_id: actor.requestId,
    },
    occurredAt,
  };
};

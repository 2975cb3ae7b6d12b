import { firmwareResults, firmwareStates } from '@lanyard/lwm2m';

/** An object that reports the state and the result of a firmware update. */
export interface Source {
  name: 'firmware-update' | 'update-client';
  statePath: string;
  resultPath: string;
}

/** LwM2M object 5, and the manifest object of the update client. */
export const sources: readonly Source[] = [
  { name: 'firmware-update', statePath: '/5/0/3', resultPath: '/5/0/5' },
  { name: 'update-client', statePath: '/10252/0/2', resultPath: '/10252/0/3' },
];

const prefixes = ['/5', '/10252'];

/** Whether a value at the path may contain a source's state or result. Called for every value: it must be cheap. */
export const mayContainFirmwareStatus = (path: string): boolean =>
  prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/0`));

export interface FirmwareEvent {
  /** Spec §6.2. */
  eventCode: string;
  /** A description if the code is less specific than the device's result. */
  description?: string;
}

const nonSpecific = 'UPD4_FAIL_41';

/** Results of object 5 as codes of the update client; those without a counterpart have a description. */
const byResult: Partial<Record<(typeof firmwareResults)[number], FirmwareEvent>> = {
  success: { eventCode: 'UPD2_OK_18' },
  'not enough flash memory': { eventCode: 'UPD4_FAIL_33' },
  'out of RAM': { eventCode: 'UPD4_FAIL_34' },
  'connection lost': { eventCode: 'UPD4_FAIL_24' },
  'integrity check failed': { eventCode: 'UPD4_FAIL_26' },
  'unsupported package type': { eventCode: 'UPD4_FAIL_25' },
  'invalid URI': { eventCode: nonSpecific, description: 'Firmware update failed: the package URI is invalid' },
  'update failed': { eventCode: 'UPD4_FAIL_40' },
  'unsupported protocol': {
    eventCode: nonSpecific,
    description: 'Firmware update failed: the protocol of the package URI is not supported',
  },
  cancelled: { eventCode: nonSpecific, description: 'Firmware update cancelled' },
};

/** Results of the update client: success, and the range of failures. */
const updated = 18;
const failures = { first: 21, last: 49 } as const;

/** undefined: no update has ended (initial, deferred), or the number is unknown. */
export const eventOf = (source: Source['name'], result: number): FirmwareEvent | undefined => {
  if (source === 'firmware-update') {
    const name = firmwareResults[result];
    return name && byResult[name];
  }
  // Some versions of the client report failures as negative numbers.
  const code = Math.abs(result);
  if (code === updated) return { eventCode: `UPD2_OK_${updated}` };
  return code >= failures.first && code <= failures.last ? { eventCode: `UPD4_FAIL_${code}` } : undefined;
};

/** As text for object 5, as a number for the update client. */
export const nameFor = (source: Source['name'], kind: 'state' | 'result', value: number): string =>
  (source === 'firmware-update' && (kind === 'state' ? firmwareStates : firmwareResults)[value]) || String(value);

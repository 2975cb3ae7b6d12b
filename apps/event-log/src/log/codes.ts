import { operatorActions } from '@lanyard/contracts';

/** What an event means for the device (spec §2.5): the portal's message type. */
export type Outcome = 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';

export interface EventCode {
  /** Numeric part: `event_type` of the record. Unique over all tables. */
  type: string;
  outcome: Outcome;
  category: string;
  meaning: string;
}

const code = (type: string, outcome: Outcome, category: string, meaning: string): EventCode => ({
  type,
  outcome,
  category,
  meaning,
});

/** Spec §6.2, service-generated. */
const serviceCodes: Record<string, EventCode> = {
  SYS_100: code('100', 'FAIL', 'FAIL_NETWORK', 'Device could not be reached'),
  SYS_101: code('101', 'FAIL', 'FAIL_SERVICE', 'Device not registered, manifest not sent'),
  SYS_102: code('102', 'FAIL', 'FAIL_SERVICE', 'Device vendor id differs from manifest vendor id'),
  SYS_103: code('103', 'INFO', 'INFO', 'Campaign stopped manually; device not updated'),
  SYS_104: code('104', 'INFO', 'INFO', 'Campaign stopped manually; device may still update'),
  SYS_105: code('105', 'INFO', 'INFO', 'Device deregistered'),
  SYS_106: code('106', 'INFO', 'INFO', 'Device registered'),
  SYS_107: code('107', 'INFO', 'INFO', 'Device bootstrapped'),
  SYS_108: code('108', 'INFO', 'INFO', 'Device added to campaign'),
  SYS_109: code('109', 'INFO', 'INFO', 'Device removed from campaign'),
  SYS_110: code('110', 'SKIPPED', 'SKIPPED', 'Device already at desired state'),
  SYS_111: code('111', 'FAIL', 'FAIL_SERVICE', 'Device failed to reach desired state'),
  SYS_112: code('112', 'SUCCESS', 'SUCCESS', 'Device reached desired state'),
};

/** Not in the specification's tables: changes of the directory entry, from 200 on. */
const directoryCodes: Record<string, EventCode> = {
  SYS_200: code('200', 'INFO', 'INFO', 'Device created'),
  SYS_201: code('201', 'INFO', 'INFO', 'Device suspended'),
  SYS_202: code('202', 'INFO', 'INFO', 'Device resumed'),
  SYS_203: code('203', 'INFO', 'INFO', 'Device deleted'),
};

/** Not in the specification's tables: events that queues of notification channels dropped (spec §8), from 300 on. */
const channelCodes: Record<string, EventCode> = {
  SYS_300: code('300', 'FAIL', 'FAIL_SERVICE', 'Events removed from a notification channel: its queue was full'),
  SYS_301: code('301', 'FAIL', 'FAIL_SERVICE', 'Events removed from a notification channel: they were older than 24 h'),
  SYS_302: code('302', 'FAIL', 'FAIL_SERVICE', 'Events removed from a notification channel: retries were used up'),
  SYS_303: code('303', 'FAIL', 'FAIL_SERVICE', 'Events removed with their notification channel'),
};

/** Not in the specification's tables: what the device-proxy refused or could not parse, and failed bootstraps, from 400 on. */
const admissionCodes: Record<string, EventCode> = {
  SYS_400: code('400', 'FAIL', 'FAIL_CLIENT', 'Device refused because of the credential or the name that it showed'),
  SYS_401: code('401', 'FAIL', 'FAIL_CLIENT', 'Values that the device reported together could not be read'),
  SYS_402: code('402', 'FAIL', 'FAIL_CLIENT', 'Device not bootstrapped'),
};

/** Not in the specification's tables: requests that the gateway refused, from 410 on. */
const accessCodes: Record<string, EventCode> = {
  SYS_410: code('410', 'FAIL', 'FAIL_CLIENT', 'Requests refused: without a valid key'),
  SYS_411: code('411', 'FAIL', 'FAIL_CLIENT', 'Requests denied: the key may not make them'),
};

/** Not in the specification's tables: actions of operators, from 500 on. */
const operatorCodes: Record<string, EventCode> = Object.fromEntries(
  Object.entries(operatorActions).map(([name, meaning]) => [name, code(name.slice(4), 'INFO', 'INFO', meaning)]),
);

const clientFailures: readonly (readonly [number, string, string])[] = [
  [21, 'FAIL_MANIFEST', 'Payload URI in manifest too long'],
  [22, 'FAIL_MANIFEST', 'Manifest could not be parsed'],
  [23, 'FAIL_MANIFEST', 'Manifest signature verification failed'],
  [24, 'FAIL_NETWORK', 'Connection lost during download'],
  [25, 'FAIL_MANIFEST', 'Payload format in manifest unsupported'],
  [26, 'FAIL_CLIENT', 'Payload authenticity check failed (hash mismatch)'],
  [27, 'FAIL_CLIENT', 'Candidate firmware version rejected (older than or equal to the installed one)'],
  [28, 'FAIL_MANIFEST', 'Manifest schema version unsupported'],
  [29, 'FAIL_MANIFEST', 'Vendor data in manifest too big'],
  [30, 'FAIL_MANIFEST', 'Manifest has wrong vendor id'],
  [31, 'FAIL_MANIFEST', 'Manifest has wrong class id'],
  [32, 'FAIL_CLIENT', 'Installed firmware digest differs from the digest in the manifest (delta update only)'],
  [33, 'FAIL_CLIENT', 'Not enough storage for the update candidate'],
  [34, 'FAIL_CLIENT', 'Not enough RAM'],
  [35, 'FAIL_CLIENT', 'Storage write error'],
  [36, 'FAIL_CLIENT', 'Storage read error'],
  [37, 'FAIL_CLIENT', 'Application rejected install authorization'],
  [38, 'FAIL_CLIENT', 'Application rejected download authorization'],
  [39, 'FAIL_MANIFEST', 'Component name in manifest is unknown'],
  [40, 'FAIL_CLIENT', 'Update failed at installation phase (install or verification)'],
  [41, 'FAIL_CLIENT', 'Non-specific internal error'],
  [42, 'FAIL_CLIENT', 'Internal error of the delta engine'],
  [43, 'FAIL_CLIENT', 'Internal error of the crypto engine'],
  [44, 'FAIL_CLIENT', 'Expected asset missing in non-volatile memory'],
  [45, 'FAIL_NETWORK', 'Multicast session aborted'],
  [46, 'FAIL_MANIFEST', 'Combined package could not be parsed'],
  [47, 'FAIL_MANIFEST', 'Combined package has wrong number of images'],
  [48, 'FAIL_MANIFEST', 'Image name in package too long'],
  [49, 'FAIL_MANIFEST', 'Vendor data in package descriptor too long'],
];

/** Spec §6.2, client-generated: update client 4.8.0 and later. */
const clientCodes: Record<string, EventCode> = {
  UPD2_OK_18: code('18', 'SUCCESS', 'SUCCESS', 'Asset update completed; firmware image updated'),
  ...Object.fromEntries(
    clientFailures.map(([n, category, meaning]) => [`UPD4_FAIL_${n}`, code(String(n), 'FAIL', category, meaning)]),
  ),
};

export const eventCodes: Readonly<Record<string, EventCode>> = {
  ...serviceCodes,
  ...directoryCodes,
  ...channelCodes,
  ...admissionCodes,
  ...accessCodes,
  ...operatorCodes,
  ...clientCodes,
};

/** A code outside the tables (of an older update client) is stored unchanged, as information. */
export const lookUpCode = (eventCode: string): EventCode =>
  eventCodes[eventCode] ?? code(/\d+$/.exec(eventCode)?.[0] ?? eventCode, 'INFO', 'INFO', eventCode);

/** Any code, also one outside the tables, as the contract of device.events defines it. */
const codeForm = /^(?:SYS|UPD\d)_(?:[A-Z]+_)?(\d+)$/;

/** The type of a code: `106` for `SYS_106`. Any other text, such as a type, is returned unchanged. */
export const toEventType = (text: string): string => codeForm.exec(text)?.[1] ?? text;

const namesByType = new Map(Object.entries(eventCodes).map(([name, { type }]) => [type, name]));

/** The code with a type: `SYS_106` for `106`. Any other text, such as a code, is returned unchanged. */
export const toEventCode = (text: string): string => namesByType.get(text) ?? text;

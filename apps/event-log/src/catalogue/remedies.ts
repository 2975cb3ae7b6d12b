const nothing = 'Nothing to do.';

const service: Record<string, string> = {
  SYS_100:
    'Check the power and the network of the device. Then send the command again, or include the device in another campaign.',
  SYS_101: 'Bring the device online, then include it in a new campaign: this one has ended.',
  SYS_102: 'Create a manifest with the vendor id of the device, or exclude the device from the campaign.',
  SYS_103: 'Start another campaign if the device is to be updated.',
  SYS_104: 'Check the installed version later: the device may already have received the package.',
  SYS_105:
    'Nothing to do if the device deregistered intentionally. If its registration expired, check its network and its lifetime.',
  SYS_106: nothing,
  SYS_107: nothing,
  SYS_108: nothing,
  SYS_109: 'Find out why the other devices failed (`SYS_100`, `SYS_111`), then start another campaign.',
  SYS_110: nothing,
  SYS_111: 'See `reason` in the entry, and the previous entry of the device itself: its code says why.',
  SYS_112: nothing,
};

const directory: Record<string, string> = {
  SYS_200: nothing,
  SYS_201: 'Resume the device when the reason no longer applies: POST /v3/devices/{id}/resume.',
  SYS_202: 'The device may take up to a week to connect by itself (spec §8): restart it if that is too long.',
  SYS_203: nothing,
};

const channels: Record<string, string> = {
  SYS_300: 'Answer callbacks faster, keep the WebSocket connected, or subscribe to less.',
  SYS_301: 'Keep the application reachable: a channel keeps events for 24 h.',
  SYS_302: 'Check the callback URL and its responses.',
  SYS_303: 'Register the channel again; its queued events are lost.',
};

const admission: Record<string, string> = {
  SYS_400:
    'Compare the credential and the endpoint name of the device with its directory entry. If the device is unknown, it may be an attack. For a device behind an LwM2M gateway, the description says why.',
  SYS_401:
    'Compare the payload in the entry with SenML (RFC 8428): the entry says what is wrong with it. Correct the device, or observe its paths one by one.',
  SYS_402:
    '`failure` and `detail` of the entry say why. `refused`: compare the bootstrap profile with what the device supports. `no-answer`, `connection-lost`: check its network. The device bootstraps again by itself.',
};

const access: Record<string, string> = {
  SYS_410:
    'Compare `address` and `target_id` with your applications: one of them may use an old secret. If none does, the secret is being guessed: reset the key if its secret may be known.',
  SYS_411:
    'Add the key to a group with the required permission if the application needs it. Otherwise find out who uses the key.',
};

const client: Record<string, string> = {
  UPD2_OK_18: nothing,
  UPD4_FAIL_21: 'Shorten the payload URI in the manifest.',
  UPD4_FAIL_22: 'Create the manifest again with a tool version that the client supports.',
  UPD4_FAIL_23: 'Sign the manifest with the key whose certificate the device holds.',
  UPD4_FAIL_24: 'Check the network of the device; the download continues when the network is available again.',
  UPD4_FAIL_25: 'Use a payload format that the update client supports.',
  UPD4_FAIL_26: 'Check that the payload at the URI is the one for which the manifest was created.',
  UPD4_FAIL_27: 'Give the new firmware a higher version than the installed one.',
  UPD4_FAIL_28: 'Use a manifest schema that the client version supports.',
  UPD4_FAIL_29: 'Shorten the vendor data in the manifest.',
  UPD4_FAIL_30: 'Put the vendor id of the device into the manifest.',
  UPD4_FAIL_31: 'Put the class id of the device into the manifest.',
  UPD4_FAIL_32: 'Create the delta from the firmware that is installed on the device.',
  UPD4_FAIL_33: 'Reduce the size of the image, or provide more storage for candidate images.',
  UPD4_FAIL_34: 'Free memory before the update, or make the client use smaller buffers.',
  UPD4_FAIL_35: 'Check the storage of the device for wear and for free space.',
  UPD4_FAIL_36: 'Check the storage of the device for wear.',
  UPD4_FAIL_37: 'Let the application on the device allow the installation, then start another campaign.',
  UPD4_FAIL_38: 'Let the application on the device allow the download, then start another campaign.',
  UPD4_FAIL_39: 'Name a component that the firmware of the device has registered.',
  UPD4_FAIL_40: 'Read the log of the device: its installer says which step failed.',
  UPD4_FAIL_41: 'Read the log of the device.',
  UPD4_FAIL_42: 'Create the delta again; if it fails again, send the full image.',
  UPD4_FAIL_43: 'Check keys and certificates on the device, and its crypto library.',
  UPD4_FAIL_44: 'Provision the device again: certificate or key of the update client is missing.',
  UPD4_FAIL_45: 'Start the multicast campaign again, or update the device by unicast.',
  UPD4_FAIL_46: 'Create the combined package again with a tool version that the client supports.',
  UPD4_FAIL_47: 'Put the number of images into the package that its descriptor states.',
  UPD4_FAIL_48: 'Shorten the names of the images in the package.',
  UPD4_FAIL_49: 'Shorten the vendor data in the package descriptor.',
};

/** What to do about an event, by its code; operators read this text. */
const remedies: Record<string, string> = { ...service, ...directory, ...channels, ...admission, ...access, ...client };

/** Entries about actions of operators (from SYS_500 on) share one remedy. */
const operatorRemedy =
  'Nothing to do if the change was intended. Otherwise revoke the key that made it: `data` names it.';

export const remedyOf = (code: string): string | undefined =>
  remedies[code] ?? (/^SYS_5\d\d$/.test(code) ? operatorRemedy : undefined);

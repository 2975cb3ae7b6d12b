import type { Device } from '@lanyard/client/browser';
import { NumberInput, Select } from '@mantine/core';
import { useEdit } from '../api/queries.ts';
import { count, counted, FormDialog, nameOf, problemOf, useFields } from '../ui/index.ts';

/** Shown in place of a setting that the device does not have. */
export const ofListener = 'that of the listener';

/** Limits of ACK_TIMEOUT (RFC 7252 §4.8) and of the first retransmission of a handshake (RFC 6347 §4.2.4.1), as in the API. */
const timerMs = { min: 1_000, max: 60_000 } as const;
const timerLimits = `${count(timerMs.min)} to ${count(timerMs.max)} ms`;

/** RFC 7959 §2.2. */
const blockSizes = [16, 32, 64, 128, 256, 512, 1_024] as const;
type BlockSize = (typeof blockSizes)[number];

const noBlockSize = 'listener';
const blockChoices = [
  { value: noBlockSize, label: ofListener },
  ...blockSizes.map((size) => ({ value: String(size), label: counted(size, 'byte') })),
];

/** The inputs themselves show the problems of these fields. */
const fields = ['coap_ack_timeout_ms', 'coap_block_bytes', 'dtls_handshake_timer_ms'] as const;

/** The number that a person typed; the API reports what is wrong with it. */
const numberOf = (typed: number | string): number | null => (typed === '' ? null : Number(typed));

const timerInput = {
  placeholder: ofListener,
  clampBehavior: 'none',
  allowDecimal: false,
  allowNegative: false,
  hideControls: true,
  ...timerMs,
} as const;

interface RadioDialogProps {
  device: Device;
  onClose: () => void;
}

/** Sets how messages are sent to a device on a slow radio. An empty field resets its setting. */
export const RadioDialog = ({ device, onClose }: RadioDialogProps) => {
  const { values, choice } = useFields({
    ackTimeout: (device.coap_ack_timeout_ms ?? '') as number | string,
    blockSize: String(device.coap_block_bytes ?? noBlockSize) as string | null,
    handshakeTimer: (device.dtls_handshake_timer_ms ?? '') as number | string,
  });
  const { change, save } = useEdit('PUT /v3/devices/{id}', device, ['GET /v3/devices/{id}', 'GET /v3/devices']);
  const submit = () => {
    const { ackTimeout, blockSize, handshakeTimer } = values;
    const radio = {
      coap_ack_timeout_ms: numberOf(ackTimeout),
      coap_block_bytes: blockSize === noBlockSize ? null : (Number(blockSize) as BlockSize),
      dtls_handshake_timer_ms: numberOf(handshakeTimer),
    };
    save(radio, onClose);
  };
  const errorOf = (field: (typeof fields)[number]) => problemOf(change.error, field);
  return (
    <FormDialog
      title={`Change the radio settings of ${nameOf(device)}`}
      verb="Save"
      needs="devices.write"
      change={change}
      fields={fields}
      onSubmit={submit}
      onClose={onClose}
    >
      <NumberInput
        label="ACK timeout, in ms"
        description={`${timerLimits}, over UDP and DTLS`}
        data-autofocus
        error={errorOf('coap_ack_timeout_ms')}
        {...timerInput}
        {...choice('ackTimeout')}
      />
      <Select
        label="Block size"
        description="Of the blocks that are sent to the device over UDP and DTLS"
        data={blockChoices}
        allowDeselect={false}
        error={errorOf('coap_block_bytes')}
        {...choice('blockSize')}
      />
      <NumberInput
        label="First retransmission of a DTLS handshake, in ms"
        description={`${timerLimits}. In a full handshake, it does not apply to the first flight, because the device is not known yet`}
        error={errorOf('dtls_handshake_timer_ms')}
        {...timerInput}
        {...choice('handshakeTimer')}
      />
    </FormDialog>
  );
};

import type { Device } from '@lanyard/client/browser';
import { Text } from '@mantine/core';
import { useRead } from '../api/queries.ts';
import { Answered, count, counted, type Fact, Facts, Opens, Panel } from '../ui/index.ts';
import { ofListener, RadioDialog } from './radio-dialog.tsx';

const timeText = (ms: number | null): string => (ms === null ? ofListener : `${count(ms)} ms`);

const factsOf = (device: Device): Fact[] => [
  ['ACK timeout', timeText(device.coap_ack_timeout_ms)],
  ['Block size', device.coap_block_bytes === null ? ofListener : counted(device.coap_block_bytes, 'byte')],
  ['First retransmission of a DTLS handshake', timeText(device.dtls_handshake_timer_ms)],
];

/** How messages are sent to the device over UDP and DTLS. */
export const Radio = ({ deviceId: id }: { deviceId: string }) => (
  <Answered answer={useRead('GET /v3/devices/{id}', { path: { id } })}>
    {(device) => (
      <Panel
        title="Radio"
        flush
        aside={
          <Opens label="Change the radio settings" needs="devices.write">
            {(close) => <RadioDialog device={device} onClose={close} />}
          </Opens>
        }
      >
        <Text size="sm" px="md" pb="md">
          A device on a slow radio (NB-IoT: round trips of 10 s) may need a longer ACK timeout, smaller blocks and a
          longer timer of DTLS handshakes than the settings of its listener.
        </Text>
        <Facts facts={factsOf(device)} />
      </Panel>
    )}
  </Answered>
);

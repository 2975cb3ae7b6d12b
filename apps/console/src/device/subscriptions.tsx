import type { DeviceSubscription } from '@lanyard/client/browser';
import { useKeyName } from '../api/key-names.ts';
import { usePages } from '../api/pages.ts';
import { useSession } from '../api/session.ts';
import { type Column, Confirm, Empty, Listing, moment } from '../ui/index.ts';
import { subscribed, subscribing } from './subscribing.ts';

const everyMs = 5_000;

/** Only the key that subscribed can end the subscription here; a rule would subscribe again. */
const End = ({ subscription }: { subscription: DeviceSubscription }) => {
  const { device_id: deviceId, resource_path: path, key_id: keyId, origin } = subscription;
  const { subject } = useSession();
  if (keyId !== subject.id || origin === 'rule') return null;
  return (
    <Confirm
      verb="End"
      what={`the subscription to ${path}`}
      needs="subscriptions"
      changes={subscribed}
      {...subscribing('DELETE', deviceId, path)}
    >
      The device stops reporting the resource, unless other keys are subscribed to it.
    </Confirm>
  );
};

const columnsOf = (nameOf: (id: string) => string): readonly Column<DeviceSubscription>[] => [
  { title: 'Resource', cell: ({ resource_path: path }) => path },
  {
    title: 'Key',
    cell: ({ key_id: id }) => nameOf(id),
    more: ({ origin }) => (origin === 'rule' ? 'by a presubscription rule' : 'by a request'),
  },
  { title: 'State', cell: ({ status }) => (status === 'confirmed' ? 'the device reports it' : 'asked for') },
  { title: 'Since', cell: ({ updated_at: at }) => moment(at) },
  { title: 'Actions', cell: (subscription) => <End subscription={subscription} /> },
];

/** Which keys and rules get which values of the device. */
export const Subscriptions = ({ deviceId }: { deviceId: string }) => (
  <Listing
    answer={usePages('GET /v3/devices/{deviceId}/subscriptions', { path: { deviceId } }, { everyMs })}
    columns={columnsOf(useKeyName())}
    empty={
      <Empty icon="channels" title="No subscriptions">
        Choose a resource and observe it. Applications subscribe with PUT /v2/subscriptions, to single resources, until
        the device registers the next time, or by rules.
      </Empty>
    }
  />
);

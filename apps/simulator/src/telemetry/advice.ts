import { type GroupSettings } from '../settings/group.js';

type Advised = Pick<GroupSettings, 'name' | 'deviceType' | 'sensors' | 'updateSeconds'>;

/** What to do so that the devices of a group report. */
export const adviceFor = ({ name, deviceType, sensors, updateSeconds }: Advised): string => {
  const path = sensors > 1 ? '/3303/*' : '/3303/0/5700';
  return [
    `nothing observes the devices of "${name}", so they report nothing. A rule observes all of them, each from its next update on`,
    `(within ${updateSeconds} s); a subscription (PUT /v2/subscriptions/{device id}/3303/0/5700) one of them at once:`,
    '  curl -X PUT -H "Authorization: Bearer $(cat .lanyard/admin.key)" http://127.0.0.1:8080/v2/subscriptions \\',
    `    -d '[{"endpoint-type":"${deviceType}","resource-path":["${path}"]}]'`,
  ].join('\n');
};

import { type DeviceEcho, type DeviceEchoResource, NotFound } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli, Session } from '../cli.js';
import { findDevice } from '../names/devices.js';
import { resourcePath } from '../names/paths.js';
import type { Column } from '../output/output.js';
import { sparkline } from '../output/sparkline.js';
import { ageOf, timeOf } from '../output/time.js';
import { wholeNumber } from './values.js';

export const valueOf = ({ reported }: Pick<DeviceEchoResource, 'reported'>): string => {
  if (!reported) return '';
  const { decoded, value } = reported;
  if (decoded === undefined) return Buffer.from(value, 'base64').toString();
  return typeof decoded === 'object' ? JSON.stringify(decoded) : String(decoded);
};

const resourceColumns = (nowMs: number): Column<DeviceEchoResource>[] => [
  { title: 'PATH', of: (resource) => resource.resource_path },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'VALUE', of: valueOf },
  { title: 'AGE', of: ({ reported }) => ageOf(reported?.reported_at, nowMs), style: () => 'dim' },
  { title: 'SUBSCRIBED', of: ({ subscribed }) => (subscribed ? 'yes' : '') },
];

const isNumeric = (value: unknown): value is number => typeof value === 'number';

interface HistoryOptions {
  from?: string;
  to?: string;
  points: number;
}

const history = async (
  { lanyard, out }: Session,
  name: string,
  path: string,
  { from, to, points }: HistoryOptions,
): Promise<void> => {
  const { id } = await findDevice(lanyard, name);
  const query = { path: resourcePath(path, 3), points, ...(from && { from }), ...(to && { to }) };
  const answer = await lanyard.call('GET /v3/devices/{deviceId}/history', { path: { deviceId: id }, query });
  if (out.options.json) return out.json(answer);
  const { values, steps } = answer;
  for (const { from: at, min, mean, max, count } of steps)
    await out.line(`${timeOf(at)}  ${min ?? ''}  ${mean ?? ''}  ${max ?? ''}  (${count} values)`);
  await out.list(
    values,
    [
      { title: 'TIME', of: (value) => timeOf(value.reported_at) },
      { title: 'VALUE', of: (reported) => valueOf({ reported: { ...reported, expires_at: '' } }) },
    ],
    (value) => value.reported_at,
  );
  const numbers = [...values.map(({ decoded }) => decoded), ...steps.map(({ mean }) => mean)].filter(isNumeric);
  if (numbers.length > 1) out.note(sparkline(numbers.slice(-80)));
  if (values.length + steps.length === 0) out.note('No value was stored in this period.');
};

/** A device that is not registered lists no resources. */
const noneIfNotFound = (error: unknown): never[] => {
  if (error instanceof NotFound) return [];
  throw error;
};

export const addResources = (program: Command, cli: Cli): void => {
  program
    .command('resources')
    .description('List the resources of a device with their last values')
    .argument('<device>', 'name or id')
    .action(async (name: string, _, command: Command) => {
      const { lanyard, out } = cli.session(command);
      const { id: deviceId } = await findDevice(lanyard, name);
      const echo: DeviceEcho = await lanyard.call('GET /v3/devices/{deviceId}/echo', { path: { deviceId } });
      const known = new Set(echo.resources.map((resource) => resource.resource_path));
      const endpoints = await lanyard
        .call('GET /v2/endpoints/{deviceId}', { path: { deviceId } })
        .catch(noneIfNotFound);
      const others = endpoints
        .filter(({ uri }) => !known.has(uri))
        .map(({ uri }): DeviceEchoResource => ({ resource_path: uri, subscribed: false }));
      const all = [...echo.resources, ...others];
      const count = await out.list(all, resourceColumns(Date.now()), (resource) => resource.resource_path);
      if (count === 0) out.note('The device has not registered yet.');
    });

  program
    .command('history')
    .description('Show the stored values of a resource')
    .argument('<device>', 'name or id')
    .argument('<path>', 'for example /3303/0/5700')
    .option('--from <time>', 'ISO 8601; default: 24 hours ago')
    .option('--to <time>', 'ISO 8601; default: now')
    .option(
      '--points <n>',
      'maximum number of values; more are grouped into steps with minimum, mean and maximum',
      wholeNumber(1, 2_000),
      50,
    )
    .action((name: string, path: string, options: HistoryOptions, command: Command) =>
      history(cli.session(command), name, path, options),
    );
};

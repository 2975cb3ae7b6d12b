import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpdateCampaign, UpdateCampaignProgress } from '@lanyard/client';
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, type Session, untilStopped } from '../cli.js';
import { findGroup, findNamed } from '../names/records.js';
import { counted } from '../output/counted.js';
import { idColumn } from '../output/output.js';
import { timeOf } from '../output/time.js';
import { contentOf, uploadMaxMs, wholeNumber } from './values.js';
import { withRetries } from './with-retries.js';

const pollMs = 1_000;
const endStates = new Set(['done', 'aborted']);

const campaignOf = ({ lanyard }: Session, name: string): Promise<UpdateCampaign> =>
  findNamed('campaign', lanyard.items('GET /v3/update-campaigns'), name);

const countsOf = (progress: UpdateCampaignProgress): string =>
  (['waiting', 'updating', 'succeeded', 'skipped', 'failed', 'stopped'] as const)
    .filter((state) => progress[state] > 0)
    .map((state) => `${progress[state]} ${state}`)
    .join(', ');

const readProgress = async ({ lanyard }: Session, id: string) => {
  const { state } = await lanyard.call('GET /v3/update-campaigns/{id}', { path: { id } });
  // Asked for after the state, so that the progress of a campaign that has ended is final.
  const progress = await lanyard.call('GET /v3/update-campaigns/{id}/progress', { path: { id } });
  return { state, progress };
};

const watch = async (session: Session, { id }: UpdateCampaign): Promise<void> => {
  const { out, signal } = session;
  for (let last = ''; ;) {
    const { state, progress } = await withRetries(session, () => readProgress(session, id));
    const line = `${state}: ${counted(progress.devices, 'device')}${progress.devices > 0 ? ` (${countsOf(progress)})` : ''}`;
    if (line !== last) await (out.options.json ? out.line(JSON.stringify({ state, ...progress })) : out.line(line));
    if (endStates.has(state)) return;
    last = line;
    await sleep(pollMs, undefined, { signal });
  }
};

interface CreateOptions {
  image: string;
  group?: string;
  filter?: string;
  concurrency?: number;
  starts?: string;
  ends?: string;
  window?: { from: string; to: string };
  start?: boolean;
}

/** `22:00-04:00` */
const windowOf = (text: string): { from: string; to: string } => {
  const [, from, to] = /^([\d:]+)-([\d:]+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new InvalidArgumentError('Write from-to, for example 22:00-04:00.');
  return { from, to };
};

const create = async (session: Session, name: string, options: CreateOptions): Promise<void> => {
  const { lanyard, out } = session;
  const image = await findNamed('package', lanyard.items('GET /v3/firmware-images'), options.image);
  const body = {
    ...{ name, firmware_image_id: image.id },
    ...(options.group !== undefined && { group_id: await findGroup(lanyard, options.group) }),
    ...(options.filter !== undefined && { filter: options.filter }),
    ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
    ...(options.starts !== undefined && { when: options.starts }),
    ...(options.ends !== undefined && { ends_at: options.ends }),
    ...(options.window && { window: options.window }),
  };
  const made = await lanyard.call('POST /v3/update-campaigns', { body });
  const { id } = made;
  const toStart = `"lanyard campaign start ${id}" starts it.`;
  const start = (): Promise<UpdateCampaign> =>
    lanyard.call('POST /v3/update-campaigns/{id}/start', { path: { id } }).catch((error: unknown) => {
      out.complain(`The campaign is created: ${toStart}`);
      throw error;
    });
  await out.result(options.start ? await start() : made, () => id);
  if (!options.start) out.note(`The campaign is a draft: ${toStart}`);
};

const addChanges = (campaign: Command, cli: Cli): void => {
  for (const action of ['start', 'pause', 'resume', 'abort'] as const)
    campaign
      .command(action)
      .description(`${action[0]?.toUpperCase()}${action.slice(1)} a campaign`)
      .argument('<campaign>', 'name or id')
      .action(async (name: string, _, command: Command) => {
        const session = cli.session(command);
        const { id } = await campaignOf(session, name);
        const changed = await session.lanyard.call(`POST /v3/update-campaigns/{id}/${action}`, { path: { id } });
        if (session.out.options.json) return session.out.json(changed);
        session.out.note(`The campaign is ${changed.state}.`);
      });
};

export const addCampaigns = (program: Command, cli: Cli): void => {
  const campaign = program.command('campaign').description('Update campaigns');
  campaign
    .command('list', { isDefault: true })
    .description('List campaigns (the default)')
    .action(async (_, command: Command) => {
      const { lanyard, out } = cli.session(command);
      const columns = [
        { title: 'NAME', of: ({ name }: UpdateCampaign) => name },
        { title: 'STATE', of: ({ state }: UpdateCampaign) => state },
        { title: 'VERSION', of: (each: UpdateCampaign) => each.firmware_version },
        { title: 'CREATED', of: (each: UpdateCampaign) => timeOf(each.created_at) },
        idColumn,
      ];
      await out.list(lanyard.items('GET /v3/update-campaigns'), columns);
    });
  campaign
    .command('get')
    // Works as well, because scripts use it.
    .alias('show')
    .description('Show a campaign and its progress')
    .argument('<campaign>', 'name or id')
    .action(async (name: string, _, command: Command) => {
      const session = cli.session(command);
      const found = await campaignOf(session, name);
      const progress = await session.lanyard.call('GET /v3/update-campaigns/{id}/progress', { path: { id: found.id } });
      await session.out.record({ ...found, progress }, [
        ['Name', found.name],
        ['Id', found.id],
        ['State', found.state],
        ['Reason', found.reason],
        ['Version', found.firmware_version],
        ['Filter', found.filter],
        ['Group', found.group_id],
        ['Window', found.window && `${found.window.from}-${found.window.to} UTC`],
        ['Devices', progress.devices],
        ['Progress', countsOf(progress)],
        ['Starts', found.started_at === null ? timeOf(found.when) : null],
        ['Started', timeOf(found.started_at)],
        ['Ends', found.finished_at === null ? timeOf(found.ends_at) : null],
        ['Finished', timeOf(found.finished_at)],
      ]);
    });
  campaign
    .command('watch')
    .description('Print the progress of a campaign until it ends, or Ctrl-C')
    .argument('<campaign>', 'name or id')
    .action(async (name: string, _, command: Command) => {
      const session = cli.session(command);
      const found = await campaignOf(session, name);
      await untilStopped(session, () => watch(session, found));
    });
  campaign
    .command('create')
    .description('Create a campaign as a draft')
    .argument('<name>', 'name of the campaign')
    .requiredOption('--image <image>', 'package (name or id)')
    .option('--group <group>', 'only devices of this group (name or id)')
    .option('--filter <filter>', 'only devices that match, for example endpoint_type=meter')
    .option('--concurrency <n>', 'devices that are updated at the same time', wholeNumber(1, 1_000))
    .option('--starts <time>', 'ISO 8601, in UTC; default: at once when it is started')
    .option('--ends <time>', 'ISO 8601, in UTC; default: 90 days after the start')
    .option('--window <from-to>', 'times of day in UTC between which updates start, for example 22:00-04:00', windowOf)
    .option('--start', 'start the campaign, or schedule it if it starts later')
    .action((name: string, options: CreateOptions, command: Command) => create(cli.session(command), name, options));
  addChanges(campaign, cli);
};

interface UploadOptions {
  name?: string;
  firmwareVersion: string;
  description?: string;
  software?: string;
}

const upload = async ({ lanyard, out, signal }: Session, file: string, options: UploadOptions): Promise<void> => {
  const body = await contentOf(file, signal);
  const { name = basename(file), firmwareVersion: version, description, software } = options;
  const checksum = createHash('sha256').update(body).digest('hex');
  const query = {
    ...{ name, version, datafile_checksum: checksum },
    ...(description !== undefined && { description }),
    ...(software !== undefined && { object: 9 as const, package_name: software }),
  };
  const image = await lanyard.call('POST /v3/firmware-images', { query, body }, { timeoutMs: uploadMaxMs });
  await out.result(image, () => image.id);
};

export const addImages = (program: Command, cli: Cli): void => {
  const images = program
    .command('images')
    .description('List and upload packages: firmware images and software packages');
  images
    .command('list', { isDefault: true })
    .description('List packages (the default)')
    .action(async (_, command: Command) => {
      const { lanyard, out } = cli.session(command);
      await out.list(lanyard.items('GET /v3/firmware-images'), [
        { title: 'NAME', of: ({ name }) => name },
        { title: 'VERSION', of: ({ version }) => version },
        { title: 'SOFTWARE', of: (image) => image.package_name },
        { title: 'BYTES', of: (image) => image.datafile_size },
        { title: 'CREATED', of: (image) => timeOf(image.created_at) },
        idColumn,
      ]);
    });
  images
    .command('upload')
    .description('Upload a package, with its checksum')
    .argument('<file>', 'firmware image or software package')
    .requiredOption(
      '--firmware-version <version>',
      'version that devices report after the update, in /3/0/3 (software: in /9/n/1)',
    )
    .option('--software <package>', 'upload a software package (object 9), which devices report by this name in /9/n/0')
    .option('--name <name>', 'name of the package; default: the name of the file')
    .option('--description <text>', 'description of the package')
    .action((file: string, options: UploadOptions, command: Command) => upload(cli.session(command), file, options));
};

import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver, eventually, isLongRun, serve, thermometer } from '@lanyard/testing';
import { Application } from '../application.ts';
import { fresh, sensor } from '../journeys.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { CommandLine } from './command-line.ts';
import { forwarding } from './forward.ts';

describe('the command line', () => {
  let system: RunningSystem;
  let app: Application;
  let cli: CommandLine;
  let demo: ReturnType<typeof thermometer>;
  let deviceId: string;
  const name = fresh('cli');

  beforeAll(async () => {
    system = await startSystem('cli');
    cli = new CommandLine();
    demo = thermometer({ name, server: system.coapUrls[0] as string });
    const { device } = demo;
    await device.open();
    await device.register();
    app = new Application(system.baseUrl, system.adminKey);
    deviceId = await app.deviceId(name);
    // The directory creates a device a moment before it shows it as registered.
    await eventually(async () =>
      expect((await app.call('GET', `/v3/devices/${deviceId}`)).json).toMatchObject({ state: 'registered' }),
    );
  });

  afterAll(async () => {
    await demo?.device.close();
    await system?.stop();
  });

  const fails = async (code: number, text: string, args: string[]): Promise<void> =>
    expect(await cli.run(args)).toMatchObject({ code, stderr: expect.stringContaining(text) });

  it('asks for the key on a terminal without showing it, and stores it for its owner only', async () => {
    const run = cli.onTerminal(['login', '--url', system.baseUrl]);
    await run.shows(/API key \(not shown\): /);
    run.type(`${system.adminKey}\r`);
    await run.shows(/Signed in to .* \(profile default\)/);
    expect(await run.ended).toBe(0);
    expect(run.shown).not.toContain(system.adminKey.slice(-32));
    const file = join(cli.folder, 'profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    await fails(2, 'chmod 600', ['devices']);
    chmodSync(file, 0o600);
  });

  it('takes a key from a pipe and from a file, and refuses a wrong one without repeating it', async () => {
    const piped = await cli.run(['login', '--profile', 'piped', '--url', system.baseUrl], { input: system.adminKey });
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    const file = join(cli.folder, 'key');
    writeFileSync(file, `${system.adminKey}\n`);
    expect((await cli.run(['login', '--url', system.baseUrl, '--key-file', file])).code).toBe(0);
    const wrong = `${system.adminKey.slice(0, -32)}${'x'.repeat(32)}`;
    const refused = await cli.run(['login', '--url', system.baseUrl], { input: wrong });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringMatching(/request [0-9a-f-]+\)/)]);
    for (const args of [[wrong], ['login', wrong], ['read', wrong, '/3/0/0'], ['devices', '--url', wrong]]) {
      const { stdout, stderr } = await cli.run(args);
      expect(stdout + stderr).not.toContain('x'.repeat(32));
    }
  });

  it('lists, finds and shows devices by name and id', async () => {
    const all = await cli.json<{ id: string }[]>('devices', '--state', 'registered');
    expect(all.map(({ id }) => id)).toEqual([deviceId]);
    expect((await cli.run(['devices', '-q'])).stdout).toBe(`${deviceId}\n`);
    expect((await cli.run(['devices'])).stdout).toMatch(new RegExp(`^NAME .*\n${name} +registered`));
    expect(await cli.json('devices', 'get', deviceId)).toMatchObject({ endpoint_name: name });
    await fails(6, `Did you mean "${name}"?`, ['devices', 'get', `${name}x`]);
    expect((await cli.run(['devcies'])).stderr).toContain('Did you mean devices?');
  });

  it('reads, writes and executes', async () => {
    expect(await cli.run(['read', name, '/3/0/0'])).toEqual({ code: 0, stdout: 'Lanyard\n', stderr: '' });
    expect(await cli.run(['write', name, '3341/0/5527', 'hello'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Written.\n',
    });
    expect(demo.text).toBe('hello');
    expect((await cli.run(['write', name, '3341/0/5527', '--file', '-'], { input: 'piped' })).code).toBe(0);
    expect(demo.text).toBe('piped');
    const late = await cli.shell(`{ sleep 1; printf late; } | "$LANYARD" write ${name} 3341/0/5527 --file -`);
    expect([late, demo.text]).toEqual([{ code: 0, stdout: '', stderr: 'Written.\n' }, 'late']);
    expect((await cli.run(['exec', name, '/3/0/4'])).stderr).toBe('Executed.\n');
    expect(demo.reboots).toBe(1);
    await fails(1, '404', ['read', name, '/3/0/99']);
    expect((await cli.run(['read', name, '/3/x'])).code).toBe(2);
  });

  it('writes bytes to a pipe as they are, also those that would be text', async () => {
    const path = '/3341/0/5999';
    demo.device.resources.set(path, { read: () => Buffer.from('efbbbf31', 'hex') });
    const { stdout } = await cli.shell(`"$LANYARD" read ${name} ${path} | od -An -tx1`);
    expect(stdout).toBe(' ef bb bf 31\n');
    demo.device.resources.delete(path);
  });

  it('colours a terminal only, and completes commands in a shell', async () => {
    const coloured = cli.onTerminal(['devices']);
    await coloured.ended;
    expect(coloured.shown).toContain('\u001b[32mregistered');
    const plain = cli.onTerminal(['devices'], { NO_COLOR: '1' });
    await plain.ended;
    expect(plain.shown + (await cli.run(['devices'])).stdout).not.toContain('\u001b[');
    const completed = await cli.shell(
      'source <("$LANYARD" completion bash); COMP_WORDS=(lanyard camp); COMP_CWORD=1; _lanyard; echo "${COMPREPLY[*]}";' +
        'COMP_WORDS=(lanyard campaign wat); COMP_CWORD=2; _lanyard; echo "${COMPREPLY[*]}";' +
        'COMP_WORDS=(lanyard campaign create --im); COMP_CWORD=3; _lanyard; echo "${COMPREPLY[*]}";' +
        'COMP_WORDS=(lanyard --profile mine devices --st); COMP_CWORD=4; _lanyard; echo "${COMPREPLY[*]}";' +
        'COMP_WORDS=(lanyard keys rotate --pro); COMP_CWORD=3; _lanyard; echo "${COMPREPLY[*]}"',
    );
    const words = ['campaign', 'watch', '--image', '--state', '--profile'];
    expect(completed).toEqual({ code: 0, stdout: `${words.join('\n')}\n`, stderr: '' });
    const { stdout: fish } = await cli.run(['completion', 'fish']);
    expect(fish).toMatch(/seen_subcommand_from campaign; and \w+seen_subcommand_from create' -l image -d/);
    expect((await cli.run(['completion', 'tcsh'])).code).toBe(2);
  });

  it('follows the event log until Ctrl-C, and ends quietly when its reader does', async () => {
    const run = cli.start(['tail', '--device', name, '--last', '5']);
    await run.shows(/SYS_\d+/);
    expect(await run.stop()).toBe(0);
    expect(await cli.run(['tail', '--last', '5', '--no-follow'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('says what is wrong with the connection', async () => {
    const elsewhere = ['devices', '--url', 'http://127.0.0.1:2'];
    await fails(3, '127.0.0.1:2', [...elsewhere, '--key-file', join(cli.folder, 'key')]);
    await fails(2, 'belongs to', elsewhere);
    // An option wins over the environment.
    const env = { LANYARD_URL: 'http://127.0.0.1:2', LANYARD_KEY: 'ak_1other' };
    expect((await cli.run(['devices'], { env })).code).toBe(3);
    expect((await cli.run(['devices', '--profile', 'piped'], { env })).code).toBe(0);
  });

  it('observes a resource on a terminal, and takes its subscription away at the end', async () => {
    const subscriptions = `/v2/subscriptions/${deviceId}${sensor}`;
    const run = cli.onTerminal(['observe', name, sensor]);
    await run.shows(/21\.5/);
    expect((await app.call('GET', subscriptions)).status).toBe(200);
    await demo.device.report(sensor, 23.25);
    await run.shows(/23\.25.*▁█/);
    run.type('\u0003');
    expect(await run.ended).toBe(0);
    expect((await app.call('GET', subscriptions)).status).toBe(404);
  });

  it('takes its subscription away also when the terminal is closed', async () => {
    const run = cli.start(['observe', name, sensor]);
    await run.shows(/Observing/);
    run.process.kill('SIGHUP');
    expect(await run.stop('SIGHUP')).toBe(0);
    expect((await app.call('GET', `/v2/subscriptions/${deviceId}${sensor}`)).status).toBe(404);
  });

  it('observes on while the gateway is away', async () => {
    const run = cli.start(['observe', name, sensor]);
    // The last value that was reported, or already the device's answer to the new observation.
    await run.shows(/ (?:23\.25|21\.5)$/m);
    system.signal('gateway-0', 'SIGKILL');
    await run.shows(/No answer from .*\. Connecting again\./);
    await system.restart('gateway-0');
    await demo.device.report(sensor, 24.75);
    await run.shows(/24\.75/);
    expect(await run.stop()).toBe(0);
  });

  it('says that a subscription stays when it cannot be removed', async () => {
    const run = cli.start(['observe', name, sensor]);
    await run.shows(/Observing/);
    system.signal('gateway-0', 'SIGKILL');
    await run.shows(/Connecting again\./);
    expect(await run.stop()).toBe(0);
    const path = `/v2/subscriptions/${deviceId}${sensor}`;
    expect(run.stderr).toMatch(new RegExp(`The subscription stays: No answer from .* DELETE ${path}\\.$`, 'm'));
    await system.restart('gateway-0');
    expect((await app.call('DELETE', path)).status).toBe(204);
  });

  it('listens, and explains what a device waits for', async () => {
    const run = cli.start(['listen', '--json']);
    await run.shows(/Listening/);
    const sent = await cli.json<{ async_id: string }>('read', name, '/3/0/0', '--no-wait');
    await run.shows(new RegExp(`"async-responses".*${sent.async_id}`));
    expect(await run.stop()).toBe(0);
    expect((await cli.run(['commands', 'wait', sent.async_id])).stdout).toBe('Lanyard\n');
    expect((await cli.run(['channels', 'status'])).stdout).toMatch(/Kind +pull/);
    expect((await cli.run(['channels', 'delete'])).code).toBe(0);
    expect((await cli.run(['channels', 'status'])).code).toBe(6);
    expect(await cli.json('channels', 'create', 'pull', '--uid')).toMatchObject({
      kind: 'pull',
      serialization: { cfg: { include_uid: true } },
    });
    expect((await cli.run(['channels', 'delete'])).code).toBe(0);
    expect(await cli.json('explain', name)).toMatchObject({ subject: { type: 'device', id: deviceId } });
    expect((await cli.run(['history', name, sensor])).stdout).toContain('24.75');
    expect((await cli.run(['resources', name])).stdout).toContain('/3303/0/5700');
  });

  it('ends with Ctrl-C also where WebSockets are blocked', async () => {
    const server = await serve((_, response) => response.writeHead(201).end());
    const run = cli.start(['listen', '--websocket'], { LANYARD_URL: server.url, LANYARD_KEY: system.adminKey });
    await run.shows(/Connecting again\./);
    expect(await run.stop()).toBe(0);
    server.stop();
  });

  it('creates a callback channel, whose URL is not the address of the service', async () => {
    const receiver = await new CallbackReceiver().start();
    const { url } = receiver;
    try {
      expect(await cli.json('channels', 'create', 'callback', '--callback-url', url)).toMatchObject({
        kind: 'callback',
        url,
      });
      expect((await cli.run(['channels'])).stdout).toMatch(/callback +delivering/);
      expect((await cli.run(['channels', 'delete'])).code).toBe(0);
    } finally {
      await receiver.stop();
    }
    for (const args of [['callback'], ['pull', '--callback-url', url]])
      await fails(2, '--callback-url', ['channels', 'create', ...args]);
  });

  it('shows control characters of a device as text', async () => {
    demo.text = '\u001b[31mred\u001b[0m\u0007';
    const run = cli.onTerminal(['read', name, '/3341/0/5527']);
    expect(await run.ended).toBe(0);
    expect(run.shown).toContain('\\u001b[31mred');
    expect(run.shown).not.toContain('\u001b[31m');
    const { json } = await app.call('POST', '/v3/devices', { endpoint_name: `\u001b[31m${fresh('red')}` });
    const deleted = await cli.run(['devices', 'delete', json.id as string]);
    expect([deleted.code, deleted.stderr]).toEqual([
      0,
      expect.stringMatching(/^Device \\u001b\[31mred.* is deleted\.\n$/),
    ]);
  });

  it('suspends and resumes, imports with errors by row, and makes keys', async () => {
    expect((await cli.run(['suspend', name, '--category', 'recalled'])).stderr).toContain('is suspended (recalled)');
    expect(await cli.json('devices', 'get', name)).toMatchObject({ lifecycle_status: 'blocked' });
    expect(await cli.json('resume', name, '--category', 'recalled')).toMatchObject({ device_id: deviceId });
    const many = await cli.json('suspend', '--filter', 'endpoint_type=none', '--dry-run');
    expect(many).toMatchObject({ matched_count: 0, dry_run: true });

    const csv = `endpoint_name,serial_number\n${fresh('row')},1\n${'x'.repeat(65)},2\n`;
    const imported = await cli.run(['import', '-'], { input: csv });
    expect([imported.code, imported.stdout]).toEqual([1, '1 of 2 devices created.\n']);
    expect(imported.stderr).toContain('endpoint_name');
    expect(imported.stderr).not.toContain('\\u000d');

    const [file, own] = [join(cli.folder, 'made.key'), fresh('made')];
    const made = await cli.run(['keys', 'create', own, '--out', file]);
    expect([made.code, statSync(file).mode & 0o777]).toEqual([0, 0o600]);
    const asMade = { env: { LANYARD_URL: system.baseUrl, LANYARD_KEY_FILE: file } };
    expect(await cli.run(['keys'], asMade)).toMatchObject({ code: 4, stderr: expect.stringContaining('admin') });
    // No file is left where there is no key; by its id, a key may rotate itself.
    const second = join(cli.folder, 'second.key');
    expect((await cli.run(['keys', 'create', 'other', '--out', second], asMade)).code).toBe(4);
    expect(existsSync(second)).toBe(false);
    const all = await cli.json<{ id: string; name: string }[]>('keys');
    const { id } = all.find((each) => each.name === own) as { id: string };
    expect((await cli.run(['keys', 'rotate', id, '--out', second], asMade)).code).toBe(0);
    expect(readFileSync(second, 'utf8')).toMatch(/^ak_1/);
  });

  it('makes keys that are limited, by the names of device groups', async () => {
    const group = fresh('limit');
    const { id } = (await app.call('POST', '/v3/device-groups', { name: group })).json as { id: string };
    const source = ['--source', '127.0.0.0/8', '--source', '::1'];
    const limits = ['--device-group', group, ...source, '--expires', '2098-01-02T03:04:05Z'];
    expect(await cli.json('keys', 'create', fresh('limited'), ...limits)).toMatchObject({
      device_groups: [id],
      source_addresses: ['127.0.0.0/8', '::1'],
      expiration: '2098-01-02T03:04:05.000000Z',
    });
    expect((await cli.run(['keys', 'create', 'limited', '--device-group', `${group}x`])).code).toBe(6);
    expect((await app.call('DELETE', `/v3/device-groups/${id}`)).status).toBe(204);
  });

  it('ends with 5 without a result in time, and with 130 when it is interrupted before', async () => {
    const absent = fresh('absent');
    await app.call('POST', '/v3/devices', { endpoint_name: absent });
    // The device-proxy learns of the device a moment later.
    const late = await eventually(async () => {
      const run = await cli.run(['read', absent, '/3/0/0', '--timeout', '1']);
      expect(run.code).not.toBe(6);
      return run;
    });
    expect([late.code, late.stdout, late.stderr]).toEqual([5, '', expect.stringContaining('lanyard commands wait')]);
    const waiting = cli.start(['read', absent, '/3/0/0']);
    const sent = await eventually(async () => {
      const all = await cli.json<{ async_id: string }[]>('commands', '--device', absent);
      expect(all).toHaveLength(2);
      return all[0]?.async_id as string;
    });
    expect(await waiting.stop()).toBe(130);
    expect((await cli.run(['commands', 'cancel', sent])).code).toBe(0);
    expect((await cli.run(['commands', 'wait', sent])).code).toBe(1);
    expect((await cli.run(['devices', 'delete', absent])).code).toBe(0);
  });

  it('refuses a name of a key that is the id of another one', async () => {
    const name = fresh('named');
    const first = await cli.json<{ id: string }>('keys', 'create', name);
    const second = await cli.json<{ id: string }>('keys', 'create', first.id);
    for (const action of ['rotate', 'delete']) {
      const refused = await cli.run(['keys', action, first.id]);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain(`"${first.id}" is the id of one key and the name of another.`);
      expect(refused.stderr).toContain(`"${name}", or the id of the second, ${second.id}.`);
    }
    expect((await cli.run(['keys', 'delete', name])).code).toBe(0);
    // Now it is only a name, although it looks like an id.
    expect((await cli.run(['keys', 'rotate', first.id])).stdout).toMatch(/^ak_1/);
    expect((await cli.run(['keys', 'delete', first.id])).code).toBe(0);
    const left = (await cli.json<{ id: string }[]>('keys')).map(({ id }) => id);
    expect(left).not.toContain(second.id);
    expect((await cli.run(['keys', 'delete', first.id])).code).toBe(6);
  });

  it('rotates and deletes keys, deletes devices, and forgets profiles', async () => {
    const key = fresh('rotated');
    const [first, second] = [await cli.run(['keys', 'create', key]), await cli.run(['keys', 'rotate', key])];
    expect([first.stdout, second.stdout]).toEqual([expect.stringMatching(/^ak_1/), expect.stringMatching(/^ak_1/)]);
    const login = ['login', '--profile', 'rotated', '--url', system.baseUrl];
    expect((await cli.run(login, { input: second.stdout })).code).toBe(0);
    expect(await cli.json('profiles')).toContainEqual(expect.objectContaining({ name: 'rotated', current: true }));
    expect((await cli.run(['profiles', 'default'])).code).toBe(0);
    expect((await cli.run(['keys', 'delete', key])).code).toBe(0);
    expect((await cli.run(['devices', '--profile', 'rotated'])).code).toBe(4);
    expect((await cli.run(['logout', '--profile', 'rotated'])).code).toBe(0);
    expect((await cli.run(['devices', '--profile', 'rotated'])).code).toBe(6);
    const device = fresh('deleted');
    await app.call('POST', '/v3/devices', { endpoint_name: device });
    expect((await cli.run(['devices', 'delete', device])).code).toBe(0);
    expect((await cli.run(['devices', 'get', device])).code).toBe(6);
    expect(await cli.json('devices', 'groups')).toEqual([]);
  });

  it('uploads packages, and takes a campaign from a draft to its end', async () => {
    expect((await cli.run(['campaign', 'show', 'none'])).code).toBe(6);
    expect(await cli.json('campaign')).toEqual([]);
    const file = join(cli.folder, 'package.bin');
    writeFileSync(file, 'a package');
    const upload = ['images', 'upload', file, '--firmware-version', '2.0'];
    const [firmware, software] = [fresh('firmware'), fresh('software')];
    expect(await cli.json(...upload, '--name', firmware)).toMatchObject({ package_object: 5, datafile_size: 9 });
    expect(await cli.json(...upload, '--name', software, '--software', 'application')).toMatchObject({
      package_object: 9,
      package_name: 'application',
    });
    expect((await cli.run(['images'])).stdout).toMatch(new RegExp(`${software} +2\\.0 +application`));
    expect((await cli.run(['images', 'upload', join(cli.folder, 'absent'), '--firmware-version', '1'])).code).toBe(2);

    // A device that never registers keeps it running.
    const absent = fresh('absent');
    await app.call('POST', '/v3/devices', { endpoint_name: absent });
    const name = fresh('campaign');
    const create = ['campaign', 'create', name, '--image', firmware, '--filter', `endpoint_name=${absent}`];
    const window = ['--window', '22:00-04:00', '--ends', '2098-01-02T03:04:05Z'];
    expect((await cli.run([...create, '--window', 'at night'])).code).toBe(2);
    expect(await cli.json(...create, '--concurrency', '5', ...window)).toMatchObject({
      ...{ state: 'draft', concurrency: 5, ends_at: '2098-01-02T03:04:05.000000Z' },
      window: { from: '22:00', to: '04:00' },
    });
    expect((await cli.run(['campaign', 'start', name])).code).toBe(0);
    const watch = cli.start(['campaign', 'watch', name]);
    await watch.shows(/^running: 1 device \(1 waiting\)/m);
    for (const [action, state] of [
      ['pause', 'paused'],
      ['resume', 'running'],
    ] as const) {
      expect(await cli.json('campaign', action, name)).toMatchObject({ name, state });
      await watch.shows(new RegExp(`^${state}: `, 'm'));
    }
    const aborted = await cli.run(['campaign', 'abort', name]);
    expect([aborted.code, aborted.stdout]).toEqual([0, '']);
    // It is aborted once no device is in the middle of a step.
    expect(aborted.stderr).toMatch(/^The campaign is (stopping|aborted)\.\n$/);
    expect(await watch.ended).toBe(0);
    expect(watch.stdout).toMatch(/\naborted: .*\n$/);
    expect((await cli.run(['campaign', 'show', name])).stdout).toMatch(/State +aborted/);
    await fails(1, 'aborted', ['campaign', 'start', name]);
  });

  it.each([['devices', '--json'], ['devices', '--quiet'], ['devices'], ['tail', '--last', '20', '--json']])(
    'ends quietly with 0 when no program reads %s %s',
    async (...args) => {
      const run = await cli.shell(`"$LANYARD" ${args.join(' ')} | true; exit "\${PIPESTATUS[0]}"`);
      expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
    },
  );

  it('ends quietly when its reader has read enough', async () => {
    expect(await cli.shell('"$LANYARD" devices --json | head -1')).toEqual({ code: 0, stdout: '[\n', stderr: '' });
  });

  if (isLongRun) describe('forward', () => forwarding(() => ({ system, app })));
});

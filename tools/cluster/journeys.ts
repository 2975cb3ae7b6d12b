/** Tests an application and a device from outside the cluster, over each transport and each kind of channel. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lanyard } from '@lanyard/client';
import { CallbackApplication, Inbox, sensorClient, sensorPath, SocketApplication } from '../drill/applications.ts';
import { waitUntil } from '../lanyard/probes.ts';
import { say, Stop } from '../lanyard/project.ts';
import { introduceDevices } from '../testing/introduced-devices.ts';
import { Simulator } from '../testing/simulator.ts';
import type { Installation } from './installation.ts';

const patience = { timeoutMs: 60_000 };

interface Channel {
  inbox: Inbox;
  stop: () => void;
}

class PullApplication {
  inbox = new Inbox('pull');
  ending = new AbortController();

  start(lanyard: Lanyard) {
    void this.read(lanyard);
    return this;
  }

  async read(lanyard: Lanyard) {
    try {
      for await (const event of lanyard.pull({ signal: this.ending.signal })) this.inbox.take(event);
    } catch (error) {
      if (!this.ending.signal.aborted) throw error;
    }
  }

  stop() {
    this.ending.abort();
  }
}

type Open = (lanyard: Lanyard, host: string) => Channel | Promise<Channel>;

const kinds: { name: string; server: (of: Installation) => string; isSecure: boolean; open: Open }[] = [
  {
    name: 'CoAP over UDP, WebSocket',
    server: ({ coapUrls }) => coapUrls[0] ?? '',
    isSecure: false,
    open: (lanyard) => new SocketApplication().start(lanyard),
  },
  {
    name: 'CoAP over DTLS, callback',
    server: ({ coapsUrls }) => coapsUrls[0] ?? '',
    isSecure: true,
    open: (lanyard, host) => new CallbackApplication().start(lanyard, host),
  },
  {
    name: 'CoAP over TLS, pull',
    server: ({ coapsTcpUrls }) => coapsTcpUrls[0] ?? '',
    isSecure: true,
    open: (lanyard) => new PullApplication().start(lanyard),
  },
];

const idOf = async (administrator: Lanyard, name: string) =>
  (await administrator.call('GET /v3/devices', { query: { endpoint_name: name } })).data[0]?.id ?? '';

/** Suspends the device, which is then refused, and resumes it, which brings it back. */
const suspension = async (administrator: Lanyard, id: string, fleet: Simulator) => {
  const body = { category: 'maintenance', description: 'journey' } as const;
  await administrator.call('POST /v3/devices/{id}/suspend', { path: { id }, body });
  await waitUntil('the suspension', async () => (await fleet.state()).registered === 0, patience);
  await administrator.call('POST /v3/devices/{id}/resume', { path: { id }, body });
  await waitUntil('the device to be back', async () => (await fleet.state()).registered === 1, patience);
};

/** Throws Stop when an expected event does not happen. */
export const travel = async (installation: Installation) => {
  const { baseUrl, adminKey: key, cluster } = installation;
  const administrator = new Lanyard({ baseUrl, key, retries: 10 });
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-journeys-'));
  for (const [n, { name, server, isSecure, open }] of kinds.entries()) {
    const prefix = `journey${n}`;
    const device = `${prefix}-0`;
    const { lanyard: application } = await sensorClient(baseUrl, administrator, name);
    const credentials = join(folder, device);
    if (isSecure) await introduceDevices(administrator, [device], credentials);
    const channel = await open(application, cluster.plan.host);
    const fleet = await Simulator.start({
      devices: 1,
      server: server(installation),
      'name-prefix': prefix,
      'update-seconds': 2,
      'values-per-second': 2,
      'numbered-values': true,
      'back-off-max-ms': 2_000,
      ...(isSecure && { 'credentials-file': credentials }),
    });
    try {
      await waitUntil('the device', async () => (await idOf(administrator, device)) !== '', patience);
      const id = await idOf(administrator, device);
      // Other devices may report as well.
      await waitUntil('values', async () => channel.inbox.values.has(id), patience);
      const { status } = await application.command(id, { method: 'GET', uri: sensorPath }, { timeoutMs: 30_000 });
      if (status !== 200) throw new Stop(`${name}: the command was answered with ${status}`);
      await suspension(administrator, id, fleet);
      say(`${name}: values, command and suspension`);
    } finally {
      channel.stop();
      await fleet.stop();
    }
  }
  rmSync(folder, { recursive: true, force: true });
};

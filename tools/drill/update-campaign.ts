/** A firmware update of all devices of a drill, one after the other, so that most steps happen while a device updates. */
import { createHash, randomBytes } from 'node:crypto';
import type { Lanyard } from '@lanyard/client';
import { waitUntil } from '../lanyard/probes.ts';

const imageBytes = 30_000;
const version = '2.0.0';

/** Options of the simulator: a download takes some seconds. */
export const updatableDevices = { 'firmware-bytes-per-second': 10_000 };

/** Environment of the services: the drill does not wait for devices that have long finished. */
export const pollOften = { CAMPAIGNS_POLL_MIN_MS: '1000' };

/** The most that a campaign allows: a fault may interrupt each attempt. */
const retries = 10;

/** At the end of the drill: all that wait. */
const concurrencyMax = 1_000;

/** An attempt that a fault made fail is repeated after a minute. */
const patience = { timeoutMs: 300_000 };

/** A package that the simulator verifies, and that tells it the version. */
const newImage = (size: number) => {
  const bytes = randomBytes(size);
  const checksum = createHash('sha256').update(bytes).digest('hex');
  return Buffer.concat([Buffer.from(`SIMFW ${version} ${checksum}\n`), bytes]);
};

export class UpdateCampaign {
  lanyard: Lanyard;
  id: string;

  constructor(lanyard: Lanyard, id: string) {
    this.lanyard = lanyard;
    this.id = id;
  }

  static async create(lanyard: Lanyard, { bytes = imageBytes, concurrency = 1 } = {}) {
    const query = { name: 'drill', version };
    const { id: imageId } = await lanyard.call('POST /v3/firmware-images', { query, body: newImage(bytes) });
    const body = {
      ...{ name: 'drill', firmware_image_id: imageId, filter: 'endpoint_type=simulated' },
      ...{ concurrency, retries },
    };
    const { id } = await lanyard.call('POST /v3/update-campaigns', { body });
    return new UpdateCampaign(lanyard, id);
  }

  async start() {
    await this.lanyard.call('POST /v3/update-campaigns/{id}/start', { path: { id: this.id } });
  }

  /** Waits until every device has finished; those that still wait are no longer updated one by one. */
  async finish() {
    const path = { id: this.id };
    const isDone = async () => (await this.lanyard.call('GET /v3/update-campaigns/{id}', { path })).state === 'done';
    if (await isDone()) return;
    await this.lanyard.call('PUT /v3/update-campaigns/{id}', { path, body: { concurrency: concurrencyMax } });
    await waitUntil('the end of the campaign', isDone, patience).catch(() => undefined);
  }

  /** Names and reasons of those that do not run the package. */
  async failed() {
    const devices = this.lanyard.items('GET /v3/update-campaigns/{id}/devices', { path: { id: this.id } });
    return (await Array.fromAsync(devices)).flatMap(({ endpoint_name: name, state, step, reason }) =>
      state === 'succeeded' ? [] : [`${name} ${state}${step ? ` (${step})` : ''}: ${reason ?? 'no reason'}`],
    );
  }

  progress() {
    return this.lanyard.call('GET /v3/update-campaigns/{id}/progress', { path: { id: this.id } });
  }

  async succeeded() {
    return (await this.progress()).succeeded;
  }
}

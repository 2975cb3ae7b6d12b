/** A firmware update of all devices of a drill, one after another, so that a device is updating during most steps. */
import type { Lanyard } from '@lanyard/client';
import { waitUntil } from '../lanyard/probes.ts';
import { firmwareOf } from '../testing/simulator.ts';

const imageBytes = 30_000;
const version = '2.0.0';

/** Options of the simulator: a download takes some seconds. */
export const updatableDevices = { 'firmware-bytes-per-second': 10_000 };

/** Environment of the services: short polls, so that the drill does not wait for devices that finished long ago. */
export const pollOften = { CAMPAIGNS_POLL_MIN_MS: '1000' };

/** The most retries that a campaign allows, because a fault may interrupt each attempt. */
const retries = 10;

/** Concurrency at the end of the drill: all devices that still wait. */
const concurrencyMax = 1_000;

/** An attempt that failed because of a fault is repeated after a minute. */
const patience = { timeoutMs: 300_000 };

export class UpdateCampaign {
  lanyard: Lanyard;
  id: string;

  constructor(lanyard: Lanyard, id: string) {
    this.lanyard = lanyard;
    this.id = id;
  }

  static async create(lanyard: Lanyard, { bytes = imageBytes, concurrency = 1 } = {}) {
    const query = { name: 'drill', version };
    const image = firmwareOf(version, bytes);
    const { id: imageId } = await lanyard.call('POST /v3/firmware-images', { query, body: image });
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

  /** Waits until every device has finished; the remaining devices are no longer updated one by one. */
  async finish() {
    const path = { id: this.id };
    const isDone = async () => (await this.lanyard.call('GET /v3/update-campaigns/{id}', { path })).state === 'done';
    if (await isDone()) return;
    await this.lanyard.call('PUT /v3/update-campaigns/{id}', { path, body: { concurrency: concurrencyMax } });
    await waitUntil('the end of the campaign', isDone, patience).catch(() => undefined);
  }

  /** Names of the devices that do not run the package, with the reasons. */
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

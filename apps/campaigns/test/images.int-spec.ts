import { describe, expect, it } from '@jest/globals';
import { newId, systemClock } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { StorageUnavailable } from '../src/errors.js';
import { ImageSweeper } from '../src/images/image-sweeper.js';
import { ImagesService } from '../src/images/images.service.js';
import { DiskPackages } from '../src/packages/disk-packages.js';
import { testSystem } from './test-system.js';

const system = testSystem('images', { CAMPAIGNS_ACCOUNT_BYTES_MAX: String(100 * 1_048_576) });

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Looks for abandoned uploads when the test says so, by a clock that is an hour ahead. */
class FastSweeper extends ImageSweeper {
  protected override readonly clock = new TestClock(Date.now() + 3_600_000);

  takeStep(): Promise<void> {
    return this.step();
  }
}

describe('POST /v3/firmware-images', () => {
  it('201 with the size and the checksum', async () => {
    const bytes = randomBytes(3_000_000);
    const name = newId();
    const path = `/v3/firmware-images?name=${name}&version=2.1&description=x&datafile_checksum=${sha256(bytes)}`;
    const { status, body, headers } = await system.call('POST', path, bytes);
    expect(status).toBe(201);
    const expected = { name, version: '2.1', datafile_size: bytes.length, datafile_checksum: sha256(bytes) };
    expect(body).toMatchObject({ object: 'firmware-image', package_object: 5, description: 'x', ...expected });
    expect(headers.get('etag')).toBe(`"${body.etag}"`);
    expect((await system.call('GET', `/v3/firmware-images/${body.id}`, undefined, { replica: 1 })).body).toEqual(body);
    const codes = () =>
      system.events().flatMap(({ data, eventCode }) => (data?.['target_id'] === body.id ? [eventCode] : []));
    await eventually(() => expect(codes()).toEqual(['SYS_590']));
  });

  it.each([
    ['', 'name'],
    ['?name=a', 'version'],
    ['?name=a&version=1&object=7', 'object'],
    ['?name=a&version=1&object=9', 'package_name'],
    ['?name=a&version=1&package_name=x', 'package_name'],
    ['?name=a&version=1&datafile_checksum=abc', 'datafile_checksum'],
    ['?name=a&version=1&colour=red', 'colour'],
  ])('400 for %s naming %s', async (query, field) => {
    const { status, body } = await system.call('POST', `/v3/firmware-images${query}`, Buffer.from('x'));
    expect([status, body.fields.map(({ name }) => name)]).toEqual([400, expect.arrayContaining([field])]);
  });

  it('400 without bytes, and with another checksum: nothing is kept', async () => {
    const before = await readdir(system.folder());
    const query = `?name=${newId()}&version=1`;
    expect((await system.call('POST', `/v3/firmware-images${query}`)).status).toBe(400);
    const other = `&datafile_checksum=${'0'.repeat(64)}`;
    const refused = await system.call('POST', `/v3/firmware-images${query}${other}`, Buffer.from('x'));
    expect([refused.status, refused.body.fields[0]?.name]).toEqual([400, 'datafile_checksum']);
    expect(await readdir(system.folder())).toEqual(before);
  });

  it('413 beyond 64 MiB, announced or not', async () => {
    const before = await readdir(system.folder());
    const query = `/v3/firmware-images?name=${newId()}&version=1`;
    const bytes = Buffer.alloc(67_108_865);
    const announced = await system.call('POST', query, bytes);
    expect([announced.status, announced.body['message']]).toEqual([413, 'The body is larger than 67108864 bytes.']);
    const stream = new ReadableStream({
      start: (controller) => {
        for (let from = 0; from < bytes.length; from += 1_048_576)
          controller.enqueue(bytes.subarray(from, from + 1_048_576));
        controller.close();
      },
    });
    // The connection may end before the client has read the answer to a body that it has not sent.
    const answer = await system.call('POST', query, stream).then(
      ({ status }) => status,
      () => 413,
    );
    expect(answer).toBe(413);
    expect(await readdir(system.folder())).toEqual(before);
  });

  it('keeps nothing of an upload that is cut off, and its name is free at once', async () => {
    const before = await readdir(system.folder());
    const path = `/v3/firmware-images?name=${newId()}&version=1`;
    let chunks = 0;
    const broken = new ReadableStream({
      pull: (controller) => {
        if (chunks++ === 0) controller.enqueue(Buffer.alloc(65_536));
        else controller.error(new Error('the client is gone'));
      },
    });
    await expect(system.call('POST', path, broken)).rejects.toThrow();
    const { body } = await eventually(async () => {
      const again = await system.call('POST', path, Buffer.from('x'));
      expect(again.status).toBe(201);
      return again;
    });
    expect((await readdir(system.folder())).toSorted()).toEqual([...before, body.id].toSorted());
  });

  it('keeps an upload while its bytes come, although the clock of its replica is set back and that of another one is fast', async () => {
    const clock = new TestClock(Date.now());
    const images = Object.assign(system.part(ImagesService), { clock });
    try {
      const [name, body] = [newId(), new PassThrough()];
      const path = `/v3/firmware-images?name=${name}&version=1`;
      const answer = system.call('POST', path, Readable.toWeb(body));
      body.write('a');
      const uploads = 'SELECT FROM campaigns.firmware_images WHERE name = $1 AND touched_at > now() - $2::interval';
      const isTouchedWithin = async (time: string): Promise<void> =>
        expect(await system.database().query<unknown[]>(uploads, [name, time])).toHaveLength(1);
      await eventually(() => isTouchedWithin('5 minutes'));
      const age = `UPDATE campaigns.firmware_images SET touched_at = now() - interval '4 minutes' WHERE name = $1`;
      await system.database().query(age, [name]);
      await new FastSweeper(system.database(), new DiskPackages(system.folder())).takeStep();
      await eventually(() => {
        clock.adjust(-60_000);
        body.write('a');
        return isTouchedWithin('1 minute');
      });
      body.end();
      expect((await answer).status).toBe(201);
    } finally {
      Object.assign(images, { clock: systemClock });
    }
  });

  it('keeps the bytes of a package whose commit was not confirmed', async () => {
    const database = system.database();
    const transaction = database.transaction.bind(database) as (run: unknown) => Promise<unknown>;
    const name = newId();
    const storedImages = 'SELECT FROM campaigns.firmware_images WHERE name = $1 AND stored';
    // The one that stores the package: workers have transactions of their own meanwhile.
    const broken = async (run: unknown): Promise<unknown> => {
      const result = await transaction(run);
      if ((await database.query<unknown[]>(storedImages, [name])).length > 0)
        throw new Error('Connection terminated unexpectedly');
      return result;
    };
    Object.assign(database, { transaction: broken });
    const { status } = await system.call('POST', `/v3/firmware-images?name=${name}&version=1`, Buffer.from('x'));
    Object.assign(database, { transaction });
    expect(status).toBeGreaterThanOrEqual(500);
    const [image] = (await system.call('GET', `/v3/firmware-images?name=${name}`)).body.data;
    expect(await readdir(system.folder())).toContain(image?.['id']);
  });

  it('409 for a name that is taken, 403 beyond the quota of bytes, announced or not', async () => {
    const image = await system.upload(Buffer.from('x'));
    const name = String(image['name']);
    expect((await system.call('POST', `/v3/firmware-images?name=${name}&version=1`, Buffer.from('x'))).status).toBe(
      409,
    );
    const account = newId();
    const big = Buffer.alloc(60 * 1_048_576);
    const post = (n: number) => system.call('POST', `/v3/firmware-images?name=${n}&version=1`, big, { account });
    expect((await post(1)).status).toBe(201);
    expect((await post(2)).body).toMatchObject({ code: 403, type: 'account_limit_exceeded' });
    const unannounced = (bytes: Buffer<ArrayBuffer>) =>
      system.call('POST', `/v3/firmware-images?name=${newId()}&version=1`, new Blob([bytes]).stream(), { account });
    expect((await unannounced(Buffer.from('x'))).status).toBe(201);
    // The connection may end before the client has read the answer to a body that it has not sent.
    const beyond = await unannounced(big).then(
      ({ status }) => status,
      () => 403,
    );
    expect(beyond).toBe(403);
    const { data } = (await system.call('GET', '/v3/firmware-images', undefined, { account })).body;
    expect(data).toHaveLength(2);
  });

  it('503 while the folder cannot be used, although nothing can be removed from it either', async () => {
    const folder = system.folder();
    const away = `${folder}-away`;
    await rename(folder, away);
    try {
      await writeFile(folder, '');
      const path = `/v3/firmware-images?name=${newId()}&version=1`;
      const { status, body } = await system.call('POST', path, Buffer.from('x'));
      expect([status, body['message']]).toEqual([503, expect.stringContaining('package storage')]);
    } finally {
      await rm(folder, { force: true });
      await rename(away, folder);
    }
  });

  it('403 without the permission', async () => {
    const options = { permissions: ['devices.read'] };
    expect((await system.call('GET', '/v3/firmware-images', undefined, options)).status).toBe(403);
  });
});

describe('packages of an account', () => {
  it('are listed, and no other ones', async () => {
    const account = newId();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      const path = `/v3/firmware-images?name=${n}&version=${n}`;
      ids.push((await system.call('POST', path, Buffer.from('x'), { account })).body.id);
    }
    const list = async (query: string) =>
      (await system.call('GET', `/v3/firmware-images${query}`, undefined, { account })).body;
    expect((await list('?limit=2')).data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await list(`?limit=2&after=${ids[1]}`)).data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await list('?version=2')).data.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await system.call('GET', `/v3/firmware-images/${ids[0]}`)).status).toBe(404);
  });

  it('are deleted with their bytes, unless a campaign uses them', async () => {
    const image = await system.upload(Buffer.from('x'));
    const body = { name: newId(), firmware_image_id: image.id };
    const campaign = (await system.call('POST', '/v3/update-campaigns', body)).body;
    const path = `/v3/firmware-images/${image.id}`;
    expect((await system.call('DELETE', path)).status).toBe(409);
    expect((await system.call('DELETE', `/v3/update-campaigns/${campaign.id}`)).status).toBe(204);
    expect((await system.call('DELETE', path, undefined, { headers: { 'if-match': 'x' } })).status).toBe(412);
    expect((await system.call('DELETE', path)).status).toBe(204);
    expect((await system.call('GET', path)).status).toBe(404);
    expect(await readdir(system.folder())).not.toContain(image.id);
  });
});

it('a package whose bytes cannot be removed is deleted', async () => {
  const { id } = await system.upload(Buffer.from('x'));
  const file = join(system.folder(), id);
  await rm(file);
  await mkdir(file);
  try {
    expect((await system.call('DELETE', `/v3/firmware-images/${id}`)).status).toBe(204);
    expect((await system.call('GET', `/v3/firmware-images/${id}`)).status).toBe(404);
  } finally {
    await rmdir(file);
  }
});

it('a folder that cannot be created is a wrong setting', async () => {
  await expect(new DiskPackages('/dev/null/packages').onModuleInit()).rejects.toThrow(/CAMPAIGNS_DATA_DIR.*ENOTDIR/);
});

it('a disk that fails is a store that does not answer', async () => {
  const packages = new DiskPackages('/nowhere/at/all');
  await expect(packages.store(newId(), Readable.from([Buffer.from('x')]), 1)).rejects.toBeInstanceOf(
    StorageUnavailable,
  );
});

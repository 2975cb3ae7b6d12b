import { describe, expect, it } from '@jest/globals';
import { newId, systemClock } from '@lanyard/service';
import { eagerClock, eventually, isLongRun } from '@lanyard/testing';
import { AccountQuotasReader } from '../src/quotas/account-quotas.reader.js';
import { type Body, testSystem } from './test-system.js';

/** Of an import. */
const rowsMax = 100_000;
const rows = isLongRun ? rowsMax : 20_000;

describe('bulk operations', () => {
  const { call, changesOf, replica, tellAccount } = testSystem('bulk', {}, eagerClock(systemClock));

  const upload = (account: string, csv: string, name = 'table'): ReturnType<typeof call> =>
    call('POST', `/v3/device-imports?name=${name}`, csv, account, { 'content-type': 'text/csv' });
  /** A table that comes in pieces. */
  const uploading = (account: string) => {
    const { readable, writable } = new TextEncoderStream();
    const writer = writable.getWriter();
    return {
      answer: call('POST', '/v3/device-imports', readable, account, { 'content-type': 'text/csv' }),
      write: (text: string): Promise<void> => writer.write(text),
      end: (): Promise<void> => writer.close(),
    };
  };
  const completed = (account: string, id: string): Promise<Body> =>
    eventually(async () => {
      const { body } = await call('GET', `/v3/device-imports/${id}`, undefined, account);
      expect(body.status).toBe('completed');
      return body;
    });
  const total = async (account: string, query = ''): Promise<number> =>
    (await call('GET', `/v3/devices?limit=2&include=total_count&${query}`, undefined, account)).body.total_count;

  describe('POST /v3/device-imports', () => {
    it('202, then devices, announced, and a report for each row that made none', async () => {
      const account = newId();
      await call('POST', '/v3/devices', { endpoint_name: 'held' }, account);
      const csv = [
        'endpoint_name,name,device_execution_mode,auto_update,custom_attributes__site',
        'one,"First, ""quoted""",0,true,north',
        'held,,,,',
        'two,,7,perhaps,',
        'three,,,,',
        'three,,,,',
        'four,,,,,surplus',
      ].join('\r\n');
      const { status, body } = await upload(account, csv);
      expect([status, body.object, body.total_count]).toEqual([202, 'device-import', 6]);
      const done = await completed(account, body.id);
      expect(done).toMatchObject({ processed_count: 6, errors_count: 4, name: 'table' });
      const { text: report } = await call('GET', done.errors_report_file, undefined, account);
      expect(report.trim().split('\r\n').sort()).toEqual([
        '3,held,endpoint_name,Already taken',
        expect.stringMatching(/^4,two,auto_update,/),
        expect.stringMatching(/^4,two,device_execution_mode,/),
        '6,three,endpoint_name,Already taken',
        '7,four,row,More cells than columns',
        'row,endpoint_name,field,message',
      ]);
      const [one] = (await call('GET', '/v3/devices?endpoint_name=one', undefined, account)).body.data;
      expect(one).toMatchObject({
        name: 'First, "quoted"',
        auto_update: true,
        device_execution_mode: 0,
        custom_attributes: { site: 'north' },
        state: 'unenrolled',
      });
      await eventually(() =>
        expect(changesOf(one.id)).toMatchObject([
          { change: 'created', endpointName: 'one', actor: { keyId: expect.any(String) } },
        ]),
      );
      expect((await call('GET', '/v3/device-imports', undefined, account)).body.data).toHaveLength(1);
      expect((await call('DELETE', `/v3/device-imports/${body.id}`, undefined, account)).status).toBe(204);
      expect((await call('GET', `/v3/device-imports/${body.id}`, undefined, account)).status).toBe(404);
      expect(await total(account)).toBe(3);
    });

    it('202, and a line of the report for each cell that cannot be stored', async () => {
      const account = newId();
      const deep = '['.repeat(30_000);
      const csv = [
        'endpoint_name,name,custom_attributes',
        'text,C:\\u0000,',
        'backspace,\\\\u0000b,',
        'half,,"{""a"":""\\ud800""}"',
        'nul,a\0b,',
        `deep,,${deep}${']'.repeat(30_000)}`,
        'open,,' + deep,
      ].join('\n');
      const { status, body } = await upload(account, csv);
      expect([status, body.total_count]).toEqual([202, 6]);
      const done = await completed(account, body.id);
      expect(done).toMatchObject({ processed_count: 6, errors_count: 4 });
      const { text: report } = await call('GET', done.errors_report_file, undefined, account);
      expect(report.trim().split('\r\n').slice(1)).toEqual([
        '4,half,custom_attributes.a,must not hold a NUL character or half of a surrogate pair',
        '5,nul,name,must not hold a NUL character or half of a surrogate pair',
        expect.stringMatching(/^6,deep,custom_attributes,/),
        expect.stringMatching(/^7,open,custom_attributes,/),
      ]);
      const { data } = (await call('GET', '/v3/devices?order=ASC', undefined, account)).body;
      // Made in the same millisecond, so in either order.
      expect(new Set(data.map(({ name }) => name))).toEqual(new Set(['C:\\u0000', '\\\\u0000b']));
    });

    it('names that are too long are cut in the report', async () => {
      const account = newId();
      const long = '\u{1F600}'.repeat(20_000);
      const { body } = await upload(account, `endpoint_name,custom_attributes\n${long},"{""${long}"":1}"`);
      const done = await completed(account, body.id);
      const { text: report } = await call('GET', done.errors_report_file, undefined, account);
      const name = `${'\u{1F600}'.repeat(128)}\u2026`;
      const lines = report.trim().split('\r\n').slice(1);
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toMatch(new RegExp(`^2,${name},`, 'u'));
      const key = `custom_attributes.${'\u{1F600}'.repeat(110)}\u2026`;
      expect(lines.map((line) => line.split(',')[2])).toEqual(expect.arrayContaining(['endpoint_name', key]));
    });

    it('rows without a value make no device, but count: a report names the rows as the table has them', async () => {
      const account = newId();
      const { body } = await upload(account, 'endpoint_name,name\na,"1\n1"\n,\n\na,2\n\n');
      expect(body.total_count).toBe(2);
      const done = await completed(account, body.id);
      expect(done).toMatchObject({ processed_count: 2, errors_count: 1 });
      const { text: report } = await call('GET', done.errors_report_file, undefined, account);
      expect(report.trim().split('\r\n').slice(1)).toEqual(['5,a,endpoint_name,Already taken']);
      expect(await total(account)).toBe(1);
      expect((await upload(account, '\n,\n')).status).toBe(400);
    });

    it('keeps a name of 128 characters, and refuses a longer one', async () => {
      const name = 'a'.repeat(128);
      expect((await upload(newId(), 'name\na', name)).body.name).toBe(name);
      expect(await upload(newId(), 'name\na', `${name}b`)).toMatchObject({
        status: 400,
        body: { fields: [{ name: 'name' }] },
      });
    });

    it('400 for what is no table, and nothing is kept', async () => {
      const account = newId();
      for (const csv of [
        '',
        'colour\nred',
        'name,name\na,b',
        'name\n"open',
        'id\nx',
        'name,custom_attributes__\0\na,b',
      ])
        expect((await upload(account, csv)).body).toMatchObject({ code: 400, fields: [{ name: 'body' }] });
      expect((await call('GET', '/v3/device-imports', undefined, account)).body.data).toEqual([]);
    });

    it('400 for a large table with a wrong header, while its rows still arrive', async () => {
      const { status, body } = await upload(newId(), `colour\n${'red\n'.repeat(2_000_000)}`);
      expect([status, body.fields]).toEqual([400, [{ name: 'body', message: 'Unknown column "colour"' }]]);
    });

    it.each<[string, BufferEncoding]>([
      ['Latin-1', 'latin1'],
      ['UTF-16', 'utf16le'],
    ])('400 for a table in %s, and nothing is kept', async (_, encoding) => {
      const account = newId();
      const body = new Blob([Buffer.from('name\nM\u00fcller\n', encoding)]).stream();
      const reply = await call('POST', '/v3/device-imports', body, account, { 'content-type': 'text/csv' });
      expect([reply.status, reply.body.fields]).toEqual([
        400,
        [{ name: 'body', message: 'Not UTF-8: save the table as "CSV UTF-8"' }],
      ]);
      expect((await call('GET', '/v3/device-imports', undefined, account)).body.data).toEqual([]);
    });

    it('202 for characters that come in two pieces, behind a byte order mark', async () => {
      const account = newId();
      const bytes = Buffer.from('\uFEFFname\r\nM\u00fcller \u{1F600}\r\n');
      const body = new ReadableStream({
        async pull(controller) {
          for (const byte of bytes) {
            controller.enqueue(Uint8Array.of(byte));
            await new Promise((resolve) => setImmediate(resolve));
          }
          controller.close();
        },
      });
      const reply = await call('POST', '/v3/device-imports', body, account, { 'content-type': 'text/csv' });
      expect(await completed(account, reply.body.id)).toMatchObject({ processed_count: 1, errors_count: 0 });
      const { data } = (await call('GET', '/v3/devices', undefined, account)).body;
      expect(data.map(({ name }) => name)).toEqual(['M\u00fcller \u{1F600}']);
    });

    it.each(['no', 'more'])('409 when it is deleted meanwhile, and %s rows follow', async (follow) => {
      const account = newId();
      const { answer, write, end } = uploading(account);
      const rows = 'a row\n'.repeat(1_000);
      await write(`name\n${rows}`);
      const id = await eventually(async () => {
        const { body } = await call('GET', '/v3/device-imports', undefined, account);
        expect(body.data).toMatchObject([{ status: 'uploading' }]);
        return body.data[0].id;
      });
      expect((await call('DELETE', `/v3/device-imports/${id}`, undefined, account)).status).toBe(204);
      if (follow === 'more') await write(rows);
      else await end();
      const { status, body } = await answer;
      expect([status, body.type]).toEqual([409, 'import_deleted']);
      expect((await call('GET', '/v3/device-imports', undefined, account)).body.data).toEqual([]);
    });

    it('409 for the eleventh that is not completed', async () => {
      const account = newId();
      const others = Array.from({ length: 10 }, () => uploading(account));
      for (const other of others) await other.write('name\n');
      await eventually(async () =>
        expect((await call('GET', '/v3/device-imports', undefined, account)).body.data).toHaveLength(10),
      );
      const { status, body } = await upload(account, 'name\na');
      expect([status, body.type, body.message]).toEqual([
        409,
        'limit_exceeded',
        expect.stringMatching(/^The account already has 10 /),
      ]);
      for (const other of others) await other.end();
      for (const other of others) await completed(account, (await other.answer).body.id);
      expect((await upload(account, 'name\na')).status).toBe(202);
    });

    it('an export goes back in, in another account', async () => {
      const [from, to] = [newId(), newId()];
      const csv = 'endpoint_name,name,custom_attributes\na,"line\nend","{""k"":""v""}"\nb,plain,\n';
      await completed(from, (await upload(from, csv)).body.id);
      const exported = await call('GET', '/v3/devices/export?order=ASC', undefined, from);
      expect(exported.headers.get('content-type')).toMatch(/text\/csv/);
      await completed(to, (await upload(to, exported.text)).body.id);
      const [a] = (await call('GET', '/v3/devices?endpoint_name=a', undefined, to)).body.data;
      expect(a).toMatchObject({ name: 'line\nend', custom_attributes: { k: 'v' }, account_id: to });
      expect(await total(to)).toBe(2);
      const filtered = await call('GET', '/v3/devices/export?endpoint_name=b', undefined, from);
      expect(filtered.text.trim().split('\r\n')).toHaveLength(2);
    });

    it('an export has no formula, and goes back in with every value as it was', async () => {
      const [from, to] = [newId(), newId()];
      const values = ['=1+1', '+1', '-1', '@a', '\t=1', '\r=1', "'=1", "''-1", "it's", '"=1"', ' =1'];
      for (const [n, value] of values.entries()) {
        const device = { endpoint_name: `${value}${n}`, name: value, description: value, serial_number: value };
        const custom_attributes = { site: value, [`at_${n}`]: '-1' };
        expect((await call('POST', '/v3/devices', { ...device, custom_attributes }, from)).status).toBe(201);
      }
      const table = async (account: string): Promise<string> =>
        (await call('GET', '/v3/devices/export?order=ASC', undefined, account)).text;
      const text = await table(from);
      expect(text).not.toMatch(/(^|[,\n])"?[=+\-@\t\r]/);
      await completed(to, (await upload(to, text)).body.id);
      const records = async (account: string): Promise<object[]> =>
        (await call('GET', '/v3/devices', undefined, account)).body.data
          .map(
            ({ id: _id, etag: _etag, account_id: _account, created_at: _created, updated_at: _updated, ...rest }) =>
              rest,
          )
          .sort((a, b) => (String(a['endpoint_name']) < String(b['endpoint_name']) ? -1 : 1));
      expect(await records(to)).toEqual(await records(from));
      expect(await records(to)).toHaveLength(values.length);
    });

    it(`${rows} rows; another tenant is served meanwhile`, async () => {
      const [large, small] = [newId(), newId()];
      const tableOf = (length: number): string =>
        `endpoint_name,name\n${Array.from({ length }, (_, i) => `many-${i},Device ${i}`).join('\n')}`;
      const csv = tableOf(rows);
      const { body } = await upload(large, csv);
      expect(body.total_count).toBe(rows);
      await completed(small, (await upload(small, 'name\nquick')).body.id);
      // 'new' while one replica is at its first rows, and the other made the small one.
      const { status, processed_count } = (await call('GET', `/v3/device-imports/${body.id}`, undefined, large)).body;
      expect(['new', 'processing']).toContain(status);
      expect(processed_count).toBeLessThan(rows);
      expect(await completed(large, body.id)).toMatchObject({ processed_count: rows, errors_count: 0 });
      expect(await total(large)).toBe(rows);
      expect((await upload(large, tableOf(rowsMax + 1))).status).toBe(400);
    });
  });

  it('a quota of devices holds for single ones and for imports', async () => {
    const account = newId();
    const tellQuota = (devicesMax: number): Promise<void> =>
      tellAccount({
        accountId: account,
        tier: 'commercial',
        status: 'active',
        autoCreateDevices: false,
        devicesMax,
        changedAt: new Date().toISOString(),
      });
    const create = async (): Promise<unknown[]> => {
      const { status, body } = await call('POST', '/v3/devices', {}, account);
      return status === 201 ? [status] : [status, body.type];
    };
    const refused = [403, 'account_limit_exceeded'];
    // Until the quota is known, devices are created.
    await tellQuota(0);
    await eventually(async () => expect(await create()).toEqual(refused));
    const before = await total(account);
    await tellQuota(before + 3);
    await eventually(async () => expect(await create()).toEqual([201]));
    expect([await create(), await create(), await create()]).toEqual([[201], [201], refused]);
    expect(await total(account)).toBe(before + 3);
    const [device] = (await call('GET', '/v3/devices', undefined, account)).body.data;
    await call('DELETE', `/v3/devices/${device.id}`, undefined, account);
    // Either of them may do the import.
    for (const n of [0, 1]) {
      const quotas = replica(n).app.get(AccountQuotasReader, { strict: false });
      await eventually(() => expect(quotas.get(account)).toBe(before + 3));
    }
    const { body } = await upload(account, 'name\na\nb\nc');
    expect(await completed(account, body.id)).toMatchObject({ errors_count: 2 });
    expect(await total(account)).toBe(before + 3);
  });

  describe('POST /v3/device-suspensions', () => {
    const suspend = (account: string, body: object): ReturnType<typeof call> =>
      call('POST', '/v3/device-suspensions', { category: 'recalled', description: 'batch 7', ...body }, account);

    it('counts in a dry run, suspends a group, and changes nothing when repeated', async () => {
      const account = newId();
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c']) ids.push((await call('POST', '/v3/devices', { name }, account)).body.id);
      const group = (await call('POST', '/v3/device-groups', { name: 'recall' }, account)).body.id as string;
      for (const id of ids.slice(0, 2))
        await call('POST', `/v3/device-groups/${group}/devices/add`, { device_id: id }, account);
      const wanted = { action: 'suspend', group_id: group };
      expect((await suspend(account, { ...wanted, dry_run: true })).body).toMatchObject({
        dry_run: true,
        matched_count: 2,
        changed_count: 2,
      });
      expect(await total(account, 'lifecycle_status=blocked')).toBe(0);
      expect((await suspend(account, wanted)).body).toMatchObject({
        matched_count: 2,
        changed_count: 2,
        has_more: false,
      });
      expect((await suspend(account, wanted)).body).toMatchObject({ matched_count: 2, changed_count: 0 });
      const [id] = ids as [string];
      expect((await call('GET', `/v3/devices/${id}`, undefined, account)).body).toMatchObject({
        operator_suspended: true,
        system_suspended: false,
        last_operator_suspended_category: 'recalled',
        last_operator_suspended_description: 'batch 7',
      });
      await eventually(() =>
        expect(changesOf(id)).toMatchObject([
          { change: 'created' },
          { change: 'suspended', suspension: { by: 'operator', category: 'recalled' }, actor: {} },
        ]),
      );
      const resumed = await suspend(account, { action: 'resume', filter: `groups=${group}&name__in=a,c` });
      expect(resumed.body).toMatchObject({ matched_count: 1, changed_count: 1 });
      expect(await total(account, 'lifecycle_status=blocked')).toBe(1);
      expect(await total(account, `groups__neq=${group}`)).toBe(1);
    });

    it('a plus in a filter is a plus, as in a list and in a saved query', async () => {
      const account = newId();
      const [plus] = await Promise.all(
        ['a+b', 'a b'].map(async (name) => (await call('POST', '/v3/devices', { name }, account)).body.id),
      );
      const query = (await call('POST', '/v3/device-queries', { name: 'plus', query: 'name=a+b' }, account)).body.id;
      for (const path of ['/v3/devices?filter=name%3Da%2Bb', `/v3/device-queries/${query}/devices`])
        expect((await call('GET', path, undefined, account)).body.data).toMatchObject([{ id: plus }]);
      await call('POST', `/v3/devices/${plus}/suspend`, { category: 'recalled', description: 'batch 7' }, account);
      const dryRun = { action: 'suspend', filter: 'name=a+b', dry_run: true };
      expect((await suspend(account, dryRun)).body).toMatchObject({ matched_count: 1, changed_count: 0 });
    });

    it('goes over 5,000 devices in a call', async () => {
      const account = newId();
      const csv = `name\n${Array.from({ length: 5_100 }, () => 'x').join('\n')}`;
      await completed(account, (await upload(account, csv)).body.id);
      const wanted = { action: 'suspend', filter: 'name=x' };
      const first = (await suspend(account, wanted)).body;
      expect(first).toMatchObject({ matched_count: 5_000, changed_count: 5_000, has_more: true });
      const second = (await suspend(account, { ...wanted, after: first.after })).body;
      expect(second).toMatchObject({ matched_count: 100, changed_count: 100, has_more: false });
      expect(await total(account, 'operator_suspended=true')).toBe(5_100);
    });

    it('400 without a selection, a category, or with an unknown filter; 404 for the group of another account', async () => {
      const account = newId();
      expect((await suspend(account, { action: 'suspend' })).body.fields[0].name).toBe('filter');
      const { id } = (await call('POST', '/v3/devices', {}, account)).body;
      for (const filter of ['&', '?', '?&'])
        expect((await suspend(account, { action: 'suspend', filter })).body.fields?.[0].name).toBe('filter');
      expect((await call('GET', `/v3/devices/${id}`, undefined, account)).body.lifecycle_status).toBe('enabled');
      expect((await suspend(account, { action: 'suspend', filter: 'colour=red' })).body.fields[0].name).toBe('colour');
      expect((await suspend(account, { action: 'suspend', filter: 'name=%00' })).body.fields?.[0].name).toBe('name');
      expect((await suspend(account, { action: 'suspend', filter: 'name=a', category: 'bored' })).status).toBe(400);
      expect((await suspend(account, { action: 'resume', group_id: newId() })).status).toBe(404);
    });
  });
});

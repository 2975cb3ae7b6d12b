/** A backup: gzip of lines of JSON; the first says what it is, the last how much there is of everything. */
import { connect, dump, finish, insert, prepare, type Shape } from './database.ts';
import { jsonLines, writeJsonLines } from './json-lines.ts';
import { dumpStates, StateWriter } from './states.ts';
import type { KafkaSecurity } from '@lanyard/service';

const format = 'lanyard-backup-1';

export interface Kafka {
  brokers: string;
  topicPrefix: string;
  security?: KafkaSecurity;
}

export type Installation = Kafka & { databaseUrl: string };

/** Readable by its owner only. */
export const writeBackup = async (from: Installation, file: string) => {
  const client = await connect(from.databaseUrl);
  try {
    return await writeJsonLines(file, async (write) => {
      await write({ format, at: new Date().toISOString() });
      const tables = await dump(client, write);
      const states = await dumpStates(from, write);
      await write({ counts: { tables, states } });
      return { tables, states };
    });
  } finally {
    await client.end();
  }
};

/** A line of the file has one of these. */
interface Line {
  format?: string;
  shape?: Shape;
  table?: string;
  rows: (string | null)[][];
  topic?: string;
  values: unknown[];
  counts?: { tables: Record<string, number>; states: Record<string, number> };
}

/**
 * Into a database that services of the same version have made and that they do not use now. Throws when a count differs.
 */
export const restoreBackup = async (
  to: Installation,
  file: string,
  { overwrite = false }: { overwrite?: boolean } = {},
) => {
  const client = await connect(to.databaseUrl);
  const states = await new StateWriter(to).open();
  let shape: Shape | undefined;
  let wanted: Line['counts'];
  try {
    for await (const line of jsonLines<Line>(file)) {
      if (line.format && line.format !== format)
        throw new Error(`not a backup that this version reads: ${line.format}`);
      if (line.shape) await prepare(client, (shape = line.shape), overwrite);
      const table = shape?.tables.find((one) => `${one.schema}.${one.table}` === line.table);
      if (table) await insert(client, table, line.rows);
      if (line.topic) await states.write(line.topic, line.values);
      if (line.counts) wanted = line.counts;
    }
    if (!shape || !wanted) throw new Error('the backup is not complete: nothing was restored');
    const found = { tables: await finish(client, shape), states: states.counts };
    const wrong = Object.entries(wanted.tables).filter(([name, n]) => found.tables[name] !== n);
    if (wrong.length > 0)
      throw new Error(`counts differ: ${wrong.map(([name, n]) => `${name} ${found.tables[name]} of ${n}`)}`);
    return found;
  } finally {
    await states.close();
    await client.end();
  }
};

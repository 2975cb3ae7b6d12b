/** A backup: gzip of lines of JSON; the first says what it is, the last how much there is of everything. */
import { Stop } from '../lanyard/project.ts';
import { compareCounts, connect, dump, finish, insert, prepare, type Shape } from './database.ts';
import { jsonLines, writeJsonLines } from './json-lines.ts';
import { dumpStates, stateTopic, StateWriter } from './states.ts';
import type { KafkaSecurity } from '@lanyard/service';

const format = 'lanyard-backup-1';

export interface Kafka {
  brokers: string;
  topicPrefix: string;
  security?: KafkaSecurity;
  /** KAFKA_MIN_INSYNC_REPLICAS. */
  minInsyncReplicas?: number;
}

export type Installation = Kafka & { databaseUrl: string };

/** Writes a backup that only its owner can read. */
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

/** A line has one of these, in this order: `format`, `shape`, `table` with `rows`, `topic` with `values`, `counts`. */
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
 * Reads the file a second time, after the tables were committed, because Kafka cannot undo what it has stored. Throws
 * Stop if a topic is not restored completely.
 */
const restoreStates = async (states: StateWriter, file: string, wanted: Record<string, number>) => {
  try {
    for await (const { topic, values } of jsonLines<Line>(file)) if (topic) await states.write(topic, values);
    compareCounts(wanted, states.counts);
  } catch (error) {
    const problem = error instanceof Error ? error.message : error;
    throw new Stop(`The tables are restored, but not all topics (${problem}): restore again, with --overwrite.`);
  }
};

/**
 * Restores a backup into a database whose tables services of the same version have created, and that no service uses
 * now. The tables are restored together, or not at all if the file is not complete or a count differs; the topics only
 * after them. Throws Stop with the reason.
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
      if (line.format && line.format !== format) throw new Stop(`not a backup that this version reads: ${line.format}`);
      if (line.shape) await prepare(client, (shape = line.shape), overwrite);
      const table = shape?.tables.find((one) => `${one.schema}.${one.table}` === line.table);
      if (table) await insert(client, table, line.rows);
      if (line.topic) stateTopic(line.topic);
      if (line.counts) wanted = line.counts;
    }
    if (!shape || !wanted) throw new Stop('the backup is not complete: nothing was restored');
    const tables = await finish(client, shape, wanted.tables);
    await restoreStates(states, file, wanted.states);
    return { tables, states: states.counts };
  } finally {
    await states.close();
    await client.end();
  }
};

/** Dumps all tables of all services as lines of text, at one consistent moment, and restores them. Needs no PostgreSQL program. */
import { reached } from '@lanyard/service';
import pg from 'pg';
import { publicAddress } from '../lanyard/infrastructure.ts';
import { Stop } from '../lanyard/project.ts';

/** Schemas that services create. */
export const schemas = ['access', 'registry', 'device_proxy', 'snapshot', 'event_log', 'dispatcher', 'campaigns'];

const pageRowsMax = 1_000;

/** Rows of the first page of a table: their size decides how many rows the next page has. */
const firstPageRows = 100;

/** In characters of its values. A line with a page must be shorter than the longest string of V8, which has 2 ** 29. */
const pageSizeMax = 2 ** 24;

interface Table {
  schema: string;
  table: string;
  columns: string[];
}

interface Sequence {
  name: string;
  value: string;
}

/**
 * `partitions`: the statements that create them; `sequences`: the last value of each, if it was used;
 * `migrations`: the names of those that have run, by schema
 */
export interface Shape {
  tables: Table[];
  partitions: string[];
  sequences: Sequence[];
  migrations: Record<string, string[]>;
}

export const connect = async (url: string) => {
  const client = new pg.Client({ connectionString: url, application_name: 'lanyard-backup' });
  // If the connection is lost, the statement that runs is rejected too. Without a listener for this event, the process
  // would end, and leave an unfinished file.
  client.on('error', () => undefined);
  await reached('PostgreSQL', publicAddress(url), client.connect());
  // The text of a value is the same whatever the defaults of the server.
  await client.query(
    `SET datestyle = 'ISO, YMD'; SET timezone = 'UTC'; SET bytea_output = 'hex'; SET extra_float_digits = 1`,
  );
  return client;
};

const nameOf = ({ schema, table }: { schema: string; table: string }) =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;

const tablesOf = async (client: pg.Client): Promise<Table[]> => {
  // Partitions are left out, because their partitioned table stands for all of them.
  const { rows } = await client.query(
    `SELECT n.nspname AS schema, c.relname AS table, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE n.nspname = ANY($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [schemas],
  );
  return rows;
};

const partitionsOf = async (client: pg.Client) => {
  const { rows } = await client.query(
    `SELECT format('CREATE TABLE IF NOT EXISTS %I.%I PARTITION OF %I.%I %s', n.nspname, c.relname, pn.nspname, p.relname,
       pg_get_expr(c.relpartbound, c.oid)) AS statement
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_inherits i ON i.inhrelid = c.oid
     JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace pn ON pn.oid = p.relnamespace
     WHERE n.nspname = ANY($1) AND c.relispartition AND c.relkind = 'r' ORDER BY 1`,
    [schemas],
  );
  return rows.map((row) => row.statement);
};

const sequencesOf = async (client: pg.Client): Promise<Sequence[]> => {
  const { rows } = await client.query(
    `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS value
     FROM pg_sequences WHERE schemaname = ANY($1) AND last_value IS NOT NULL ORDER BY 1`,
    [schemas],
  );
  return rows;
};

export const migrationsOf = async (client: pg.Client): Promise<Record<string, string[]>> => {
  const found: Record<string, string[]> = {};
  for (const schema of schemas) {
    const { rows } = await client.query(`SELECT to_regclass($1) IS NOT NULL AS there`, [`${schema}.migrations`]);
    if (!rows[0]?.there) continue;
    const names = await client.query(`SELECT name FROM ${pg.escapeIdentifier(schema)}.migrations ORDER BY name`);
    found[schema] = names.rows.map((row) => row.name);
  }
  return found;
};

type Row = (string | null)[];

const sizeOf = (row: Row) => row.reduce((size, text) => size + (text?.length ?? 0), 0);

/**
 * Divides parts into pages of at most `pageRowsMax` parts and `pageSizeMax` characters. A part that is longer than that
 * has a page of its own.
 * @param lengthOf in characters
 */
export const pagesOf = <T>(parts: readonly T[], lengthOf: (part: T) => number) => {
  const pages: T[][] = [];
  let size = Infinity;
  for (const part of parts) {
    size += lengthOf(part);
    if (size > pageSizeMax || pages.at(-1)?.length === pageRowsMax) {
      pages.push([]);
      size = lengthOf(part);
    }
    pages.at(-1)?.push(part);
  }
  return pages;
};

/** How many rows fill a page if they are as large as these on average. */
const pageRows = (rows: Row[]) => {
  const size = rows.reduce((sum, row) => sum + sizeOf(row), 1);
  return Math.min(pageRowsMax, Math.ceil((rows.length * pageSizeMax) / size));
};

/**
 * Dumps everything within one transaction, which sees the database as it is at one moment. `write` gets the shape
 * first, then the rows of each table.
 * @returns how many rows each table has, by `schema.table`
 */
export const dump = async (client: pg.Client, write: (line: object) => Promise<void>) => {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const tables = await tablesOf(client);
  const [partitions, sequences, migrations] = [
    await partitionsOf(client),
    await sequencesOf(client),
    await migrationsOf(client),
  ];
  await write({ shape: { tables, partitions, sequences, migrations } });
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const name = `${table.schema}.${table.table}`;
    const columns = table.columns.map((column) => `t.${pg.escapeIdentifier(column)}::text`).join(', ');
    await client.query(`DECLARE rows NO SCROLL CURSOR FOR SELECT ARRAY[${columns}] AS r FROM ${nameOf(table)} t`);
    counts[name] = 0;
    for (let wanted = firstPageRows; ;) {
      const fetched = await client.query(`FETCH ${wanted} FROM rows`);
      const rows: Row[] = fetched.rows.map((row) => row.r);
      if (rows.length === 0) break;
      counts[name] += rows.length;
      for (const page of pagesOf(rows, sizeOf)) await write({ table: name, rows: page });
      wanted = pageRows(rows);
    }
    await client.query('CLOSE rows');
  }
  await client.query('COMMIT');
  return counts;
};

/**
 * Changes when foreign keys are checked: rows come in any order, so they are checked when all rows are there. Only a
 * superuser could switch the checks off, which managed databases do not grant; the owner of a table may defer them.
 */
const alterForeignKeys = async (client: pg.Client, when: 'DEFERRABLE INITIALLY DEFERRED' | 'NOT DEFERRABLE') => {
  const { rows } = await client.query(
    `SELECT format('ALTER TABLE %I.%I ALTER CONSTRAINT %I', n.nspname, c.relname, k.conname) AS statement
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE k.contype = 'f' AND k.conparentid = 0 AND n.nspname = ANY($1)`,
    [schemas],
  );
  for (const { statement } of rows) await client.query(`${statement} ${when}`);
};

/** A partition belongs to the user who restores it; the owner of its table must be able to change it. */
const handOverPartitions = async (client: pg.Client) => {
  const { rows } = await client.query(
    `SELECT format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, pg_get_userbyid(p.relowner)) AS statement
     FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_class p ON p.oid = i.inhparent
     WHERE c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname = ANY($1))
       AND c.relispartition AND c.relkind = 'r' AND c.relowner <> p.relowner`,
    [schemas],
  );
  for (const { statement } of rows) await client.query(statement);
};

const countOf = async (client: pg.Client, table: Table): Promise<number> => {
  const { rows } = await client.query(`SELECT count(*)::int AS n FROM ${nameOf(table)}`);
  return rows[0].n;
};

/** Throws Stop when there is more or less of something than was backed up. */
export const compareCounts = (wanted: Record<string, number>, found: Record<string, number>) => {
  const wrong = Object.entries(wanted).filter(([name, n]) => (found[name] ?? 0) !== n);
  if (wrong.length > 0)
    throw new Stop(`counts differ: ${wrong.map(([name, n]) => `${name} ${found[name] ?? 0} of ${n}`).join(', ')}`);
};

/** Rows of these tables after a first start: its administrator key is replaced even without --overwrite. */
const rowsOfFresh: Record<string, number> = { 'registry.devices': 0, 'access.api_keys': 1, 'dispatcher.channels': 0 };

const refuseData = async (client: pg.Client, tables: Table[]) => {
  const found: string[] = [];
  for (const table of tables) {
    const fresh = rowsOfFresh[`${table.schema}.${table.table}`];
    const n = fresh === undefined ? 0 : await countOf(client, table);
    if (n > (fresh ?? 0)) found.push(`${n} ${table.table}`);
  }
  if (found.length > 0) throw new Stop(`The database has ${found.join(', ')}: with --overwrite they are replaced.`);
};

/**
 * Throws Stop for a database of another version and, unless `overwrite`, for one with devices, keys or channels of its
 * own. Otherwise begins the transaction of the restore, which `finish` commits: creates missing partitions, empties all
 * tables, and defers the checks of foreign keys.
 */
export const prepare = async (client: pg.Client, shape: Shape, overwrite: boolean) => {
  const own = await migrationsOf(client);
  if (JSON.stringify(own) !== JSON.stringify(shape.migrations))
    throw new Stop(
      'The tables are of another version than the backup: start the version that made it once on this database, restore, then upgrade.',
    );
  if (!overwrite) await refuseData(client, shape.tables);
  await client.query('BEGIN');
  for (const statement of shape.partitions) await client.query(statement);
  await handOverPartitions(client);
  await client.query(`TRUNCATE ${shape.tables.map(nameOf).join(', ')}`);
  await alterForeignKeys(client, 'DEFERRABLE INITIALLY DEFERRED');
};

export const insert = async (client: pg.Client, table: Table, rows: (string | null)[][]) => {
  const columns = table.columns.map((column) => pg.escapeIdentifier(column));
  // Reads each text as the type of its column, so that it becomes the original value.
  const { rows: types } = await client.query(
    `SELECT format_type(a.atttypid, a.atttypmod) AS type FROM pg_attribute a
     WHERE a.attrelid = $1::regclass AND a.attname = ANY($2) ORDER BY array_position($2::text[], a.attname::text)`,
    [nameOf(table), table.columns],
  );
  const values = columns.map((_, n) => `(r->>${n})::${types[n].type}`).join(', ');
  await client.query(
    `INSERT INTO ${nameOf(table)} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE
     SELECT ${values} FROM json_array_elements($1::json) AS r`,
    [JSON.stringify(rows)],
  );
};

/** Checks foreign keys and commits. Throws Stop, without a commit, if a table has more or fewer rows than `wanted`. */
export const finish = async (client: pg.Client, { tables, sequences }: Shape, wanted: Record<string, number> = {}) => {
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  await alterForeignKeys(client, 'NOT DEFERRABLE');
  const counts: Record<string, number> = {};
  for (const table of tables) counts[`${table.schema}.${table.table}`] = await countOf(client, table);
  compareCounts(wanted, counts);
  // Done last, because a rollback does not undo setval.
  for (const { name, value } of sequences) await client.query('SELECT setval($1::regclass, $2::bigint)', [name, value]);
  await client.query('COMMIT');
  return counts;
};

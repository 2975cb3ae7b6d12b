/**
 * How an SQL expression becomes a JSON value:
 * - `token`: text without a character that JSON escapes, never null: ids, times, codes.
 * - `plain`: such text, or null.
 * - `value`: text, number or boolean, or null.
 * - `json`: jsonb, what to_json gives, or text that is JSON, never null.
 */
export type JsonKind = 'token' | 'plain' | 'value' | 'json';

export interface JsonMember {
  name: string;
  sql: string;
  kind: JsonKind;
}

/** PostgreSQL takes 100 arguments at most in a call. */
const argumentsMax = 100;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const valueOf = ({ sql, kind }: JsonMember): string => {
  if (kind === 'token' || kind === 'json') return sql;
  return kind === 'plain' ? `coalesce('"' || (${sql}) || '"', 'null')` : `coalesce(to_json(${sql}), 'null')`;
};

/** The text between two values: the end of the one, and the name of the other. */
const textBetween = (before: JsonMember | undefined, after: JsonMember | undefined): string => {
  const end = before?.kind === 'token' ? '"' : '';
  return after ? `${end},"${after.name}":${after.kind === 'token' ? '"' : ''}` : `${end}}`;
};

/**
 * SQL of a record as JSON text: the constant member `object`, then the members in the order given. `concat` joins them,
 * because PostgreSQL looks up the functions that it needs once per statement; row_to_json and json_build_object look
 * them up for each value of each row.
 */
export const jsonRecord = (object: string, members: readonly JsonMember[]): string => {
  const parts = members.flatMap((member, i) => [
    quoted((i === 0 ? `{"object":"${object}"` : '') + textBetween(members[i - 1], member)),
    valueOf(member),
  ]);
  const all = [...parts, quoted(textBetween(members.at(-1), undefined))];
  const calls: string[] = [];
  for (let from = 0; from < all.length; from += argumentsMax)
    calls.push(`concat(${all.slice(from, from + argumentsMax).join(', ')})`);
  return calls.length === 1 ? (calls[0] as string) : `concat(${calls.join(', ')})`;
};

/** SQL of a timestamptz as `2024-01-01T10:00:00.123456Z` (spec §2.5). */
export const isoTime = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

import pg from 'pg';

/** How many keep-alive intervals fit into the time in which the session may be silent. */
const probes = 3;

/** An answer may take this many times as long as the session may be silent: a page of an outbox can be large. */
const answerFactor = 2;

/** A connection of a relay: its advisory lock is useful only while the connection works. */
export const newRelaySession = (databaseUrl: string, name: string, silenceMaxMs: number): pg.Client =>
  new pg.Client({
    connectionString: databaseUrl,
    application_name: name,
    connectionTimeoutMillis: silenceMaxMs,
    // A request in flight when the network fails is never answered, and no error is raised.
    query_timeout: answerFactor * silenceMaxMs,
  });

/**
 * PostgreSQL ends the session of a suspended process, of a lost machine, and of one that no longer reads
 * what is sent to it. By itself it would keep all three, with their locks, for hours. The session only deletes what Kafka
 * has, so that it does not wait for the disk: a delete that a crash undoes repeats messages, as a crash before it does. Its
 * statements are planned once, mostly while the outbox is empty: a plan for so few rows would read all of a long one.
 */
export const relaySettings = (silenceMaxMs: number): string => {
  const probeSeconds = Math.max(1, Math.floor(silenceMaxMs / 1_000 / probes));
  return `
    SET synchronous_commit = off;
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET idle_session_timeout = ${silenceMaxMs};
    SET tcp_keepalives_idle = ${probeSeconds};
    SET tcp_keepalives_interval = ${probeSeconds};
    SET tcp_keepalives_count = ${probes - 1};
    SET tcp_user_timeout = ${silenceMaxMs}`;
};

import type { EncodedMessage } from '@lanyard/contracts';
import { PreparedStatement } from '@lanyard/service';
import type { EntityManager } from 'typeorm';

/** A message with the name of its topic. */
export interface Announcement {
  topic: string;
  message: EncodedMessage;
}

/**
 * A change of some rows that is made together with its announcements, in one statement. Alone it needs no transaction, which
 * would take four more round trips.
 */
export class AnnouncedChange {
  private readonly statement: PreparedStatement<object>;

  /**
   * @param change INSERT, UPDATE or DELETE with the parameters $1 to `$<parameters>`, without RETURNING
   * @param announced called when announcements were stored with this manager
   */
  constructor(
    schema: string,
    change: string,
    private readonly parameters: number,
    private readonly announced: (manager: EntityManager) => void,
  ) {
    const [topics, keys, values, headers] = [1, 2, 3, 4].map((n) => `$${parameters + n}`);
    // ORDER BY is evaluated before the identity column, which numbers the rows in that order.
    this.statement = new PreparedStatement(
      `WITH changed AS (${change} RETURNING true)
       INSERT INTO ${schema}.outbox_messages (topic, message_key, value, headers)
       SELECT topic, key, value, headers
       FROM unnest(${topics}::text[], ${keys}::text[], ${values}::bytea[], ${headers}::jsonb[])
         WITH ORDINALITY AS m (topic, key, value, headers, n)
       WHERE EXISTS (SELECT FROM changed) ORDER BY n
       RETURNING true`,
    );
  }

  /** False when the change concerned no row: then nothing is announced either. `announcements`: at least one. */
  async make(
    manager: EntityManager,
    values: readonly unknown[],
    announcements: readonly Announcement[],
  ): Promise<boolean> {
    if (values.length !== this.parameters || announcements.length === 0)
      throw new Error(`${values.length} parameters and ${announcements.length} announcements`);
    const rows = await this.statement.run(manager, [
      ...values,
      announcements.map(({ topic }) => topic),
      announcements.map(({ message }) => message.key),
      announcements.map(({ message }) => message.value),
      announcements.map(({ message }) => JSON.stringify(message.headers)),
    ]);
    if (rows.length > 0) this.announced(manager);
    return rows.length > 0;
  }
}

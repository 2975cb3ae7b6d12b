import { Column, Entity, PrimaryColumn } from 'typeorm';

export type CommandKind = 'device-request' | 'endpoint' | 'subscription' | 'campaign';
export type CommandMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'FETCH' | 'IPATCH';

/**
 * waiting -> executing -> succeeded, failed or expired; executing -> waiting for a retry; waiting -> cancelled, failed
 * or expired without another attempt.
 */
export type CommandState = 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';

/** A command in the durable queue of its device, and afterwards the record of how it ended. */
@Entity({ name: 'commands' })
export class Command {
  @PrimaryColumn('text')
  id!: string;

  /** Order within the device's queue: commands are accepted under a lock of the device. */
  @Column({ type: 'bigint', insert: false, update: false })
  position!: string;

  @Column('text', { name: 'device_id' })
  deviceId!: string;

  @Column('text', { name: 'account_id' })
  accountId!: string;

  /** For a command of a campaign: the id of the campaign. */
  @Column('text', { name: 'key_id' })
  keyId!: string;

  @Column('text', { name: 'async_id' })
  asyncId!: string;

  @Column('text')
  kind!: CommandKind;

  @Column('text')
  method!: CommandMethod;

  @Column('text')
  path!: string;

  /** Query of the request to the device: write attributes, attributes of an observation, or the depth of a Discover. */
  @Column('text', { array: true })
  query!: string[];

  @Column('text', { nullable: true })
  accept!: string | null;

  @Column('text', { name: 'content_type', nullable: true })
  contentType!: string | null;

  @Column('bytea', { nullable: true })
  payload!: Buffer | null;

  /** Its result goes to no channel. */
  @Column('boolean', { name: 'no_response' })
  noResponse!: boolean;

  /**
   * The encrypted ticket of a package. Without a payload, the command writes that package; otherwise the ticket is
   * appended to the URI in the payload. Cleared when the command ends.
   */
  @Column('text', { name: 'download_ticket', nullable: true })
  sealedTicket!: string | null;

  /** The request, to distinguish a repetition from another request with the same async-id. */
  @Column('text')
  fingerprint!: string;

  @Column('integer', { name: 'retry_max' })
  retryMax!: number;

  @Column('integer')
  attempts!: number;

  /** When the command was last claimed to be sent. */
  @Column('timestamptz', { name: 'attempted_at', nullable: true })
  attemptedAt!: Date | null;

  /** When the command was first claimed to be sent. */
  @Column('timestamptz', { name: 'first_attempted_at', nullable: true })
  firstAttemptedAt!: Date | null;

  @Column('text')
  state!: CommandState;

  @Column('timestamptz', { name: 'accepted_at' })
  acceptedAt!: Date;

  /** The replica that accepted the command; its caller may wait for the result there. */
  @Column('text', { name: 'accepted_by' })
  acceptedBy!: string;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** The replica and session epoch that execute the command, and how long the claim is valid unless renewed. */
  @Column('text', { name: 'claimed_by', nullable: true })
  claimedBy!: string | null;

  @Column('bigint', { name: 'claim_epoch', nullable: true })
  claimEpoch!: string | null;

  @Column('timestamptz', { name: 'claim_until', nullable: true })
  claimUntil!: Date | null;

  /** Trace context of the request, if it is traced. */
  @Column('text', { name: 'trace_parent', nullable: true })
  traceParent!: string | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;

  /** Status of the asynchronous response. */
  @Column('integer', { nullable: true })
  status!: number | null;

  @Column('text', { nullable: true })
  error!: string | null;

  /** Human-readable: why it ended this way. */
  @Column('text', { nullable: true })
  note!: string | null;

  @Column('bytea', { nullable: true })
  result!: Buffer | null;

  @Column('text', { name: 'result_type', nullable: true })
  resultType!: string | null;

  @Column('bigint', { name: 'result_max_age', nullable: true })
  resultMaxAge!: string | null;
}

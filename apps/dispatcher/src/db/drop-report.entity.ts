import { Column, Entity, PrimaryColumn } from 'typeorm';

const count = { type: 'bigint', default: 0, transformer: { from: Number, to: (value: number) => value } } as const;

/** What was announced of the events that a channel lost. Outlives the channel until its last losses are announced. */
@Entity('drop_reports')
export class DropReport {
  @PrimaryColumn({ name: 'key_id', type: 'text' })
  keyId!: string;

  /** When the channel was created: a key may have several channels, one after another. */
  @PrimaryColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column(count)
  size!: number;

  @Column(count)
  age!: number;

  @Column(count)
  failed!: number;

  /** Why the channel ended. */
  @Column({ type: 'text', nullable: true })
  ending!: string | null;

  /** Whether the last losses of the channel, which has ended, are announced. */
  @Column({ name: 'is_final', type: 'boolean', default: false })
  isFinal!: boolean;

  @Column({ name: 'changed_at', type: 'timestamptz', precision: 3 })
  changedAt!: Date;
}

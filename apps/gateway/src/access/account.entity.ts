import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A customer: owns keys, devices and channels. */
@Entity({ name: 'accounts' })
export class Account {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'display_name' })
  displayName: string;

  /** Decides the retry count of callback channels (spec §8). */
  @Column('text')
  tier: 'free' | 'commercial';

  @Column('text')
  status: 'active' | 'suspended';

  @Column('boolean', { name: 'auto_create_devices' })
  autoCreateDevices: boolean;

  @Column('integer')
  revision: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}

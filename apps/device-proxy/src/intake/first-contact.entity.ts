import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The id assigned to an endpoint that the directory did not know at its first contact. */
@Entity({ name: 'first_contacts' })
export class FirstContact {
  @PrimaryColumn('text', { name: 'account_id' })
  accountId!: string;

  @PrimaryColumn('text', { name: 'endpoint_name' })
  endpointName!: string;

  @Column('text', { name: 'device_id' })
  deviceId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The id given to an endpoint that the directory did not know when it first came. */
@Entity({ name: 'first_contact' })
export class FirstContact {
  @PrimaryColumn('text', { name: 'account_id' })
  accountId: string;

  @PrimaryColumn('text', { name: 'endpoint_name' })
  endpointName: string;

  @Column('text', { name: 'device_id' })
  deviceId: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

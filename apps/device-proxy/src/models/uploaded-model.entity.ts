import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DeviceModelChanged } from '@lanyard/contracts';

/** The definition of an object that an account has uploaded; one for each object id and version. */
@Entity({ name: 'object_models' })
export class UploadedModel {
  @PrimaryColumn('text')
  id!: string;

  @Column('text', { name: 'account_id' })
  accountId!: string;

  @Column('integer', { name: 'object_id' })
  objectId!: number;

  @Column('text')
  name!: string;

  @Column('text')
  version!: string;

  @Column('jsonb')
  resources!: DeviceModelChanged['resources'];

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a device said last of its firmware update, by one of the objects that tell of it. */
@Entity({ name: 'firmware_reports' })
export class FirmwareReport {
  @PrimaryColumn('text', { name: 'device_id' })
  deviceId!: string;

  @PrimaryColumn('text')
  source!: string;

  @Column('integer', { nullable: true })
  state!: number | null;

  @Column('integer', { nullable: true })
  result!: number | null;
}

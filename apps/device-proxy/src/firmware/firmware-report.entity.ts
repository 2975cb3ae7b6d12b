import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a device last reported about its firmware update, for each object that reports it. */
@Entity({ name: 'firmware_reports' })
export class FirmwareReport {
  @PrimaryColumn('text', { name: 'device_id' })
  deviceId!: string;

  /** The `name` of the `Source` that reports. */
  @PrimaryColumn('text')
  source!: string;

  @Column('integer', { nullable: true })
  state!: number | null;

  @Column('integer', { nullable: true })
  result!: number | null;
}

import { Column, Entity } from 'typeorm';
import { Owned } from './versioned.entity.js';
import type { GroupKind, Permission } from '../permissions.js';

/** A key group: keys have the privileges of their groups (spec §2.11). */
@Entity({ name: 'key_groups' })
export class KeyGroup extends Owned {
  @Column('text')
  kind!: GroupKind;

  /** Null: the permissions of its kind. Only custom groups have their own. */
  @Column('text', { array: true, nullable: true })
  permissions!: Permission[] | null;

  /** Ids of the device groups that its members are limited to; null: all devices. Only custom groups have some. */
  @Column('text', { name: 'device_groups', array: true, nullable: true })
  deviceGroups!: string[] | null;
}

import { Column, Entity, JoinTable, ManyToMany, type Relation } from 'typeorm';
import { Used } from './versioned.entity.js';
import { KeyGroup } from './key-group.entity.js';

/** An application of a customer. Its access keys are its secrets and share its channel and subscriptions. */
@Entity({ name: 'applications' })
export class Application extends Used {
  @Column('text')
  description!: string;

  @ManyToMany(() => KeyGroup)
  @JoinTable({
    name: 'application_groups',
    joinColumn: { name: 'application_id', referencedColumnName: 'id' },
    inverseJoinColumn: { name: 'group_id', referencedColumnName: 'id' },
  })
  groups!: Relation<KeyGroup>[];
}

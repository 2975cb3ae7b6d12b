import { Column, Entity, JoinTable, ManyToMany, type Relation } from 'typeorm';
import { Used } from './versioned.entity.js';
import { KeyGroup } from './key-group.entity.js';

/** A person who has signed in with the OpenID provider. Name, address and groups are those of the last sign-in. */
@Entity({ name: 'users' })
export class User extends Used {
  @Column('text')
  issuer!: string;

  /** Identifies the person at the issuer; names and addresses change. */
  @Column('text')
  subject!: string;

  @Column('text', { nullable: true })
  email!: string | null;

  /** Random; sessions refer to it, so that a new one ends all of them. No key has a secret with this hash. */
  @Column('text')
  hash!: string;

  @ManyToMany(() => KeyGroup)
  @JoinTable({
    name: 'user_groups',
    joinColumn: { name: 'user_id', referencedColumnName: 'id' },
    inverseJoinColumn: { name: 'group_id', referencedColumnName: 'id' },
  })
  groups!: Relation<KeyGroup>[];
}

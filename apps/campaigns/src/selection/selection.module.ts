import { Module } from '@nestjs/common';
import { Selections } from './selections.js';

@Module({ providers: [Selections], exports: [Selections] })
export class SelectionModule {}

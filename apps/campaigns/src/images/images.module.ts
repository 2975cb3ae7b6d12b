import { Module } from '@nestjs/common';
import { PackagesModule } from '../packages/packages.module.js';
import { ImageSweeper } from './image-sweeper.js';
import { ImagesController } from './images.controller.js';
import { ImagesService } from './images.service.js';

@Module({
  imports: [PackagesModule],
  controllers: [ImagesController],
  providers: [ImagesService, ImageSweeper],
  exports: [ImagesService],
})
export class ImagesModule {}

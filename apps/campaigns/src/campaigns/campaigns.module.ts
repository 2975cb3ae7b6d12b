import { Module } from '@nestjs/common';
import { ImagesModule } from '../images/images.module.js';
import { SelectionModule } from '../selection/selection.module.js';
import { CampaignActions } from './campaign-actions.js';
import { CampaignDevicesService } from './campaign-devices.service.js';
import { CampaignRetention } from './campaign-retention.js';
import { CampaignsController } from './campaigns.controller.js';
import { CampaignsService } from './campaigns.service.js';

@Module({
  imports: [ImagesModule, SelectionModule],
  controllers: [CampaignsController],
  providers: [CampaignsService, CampaignActions, CampaignDevicesService, CampaignRetention],
})
export class CampaignsModule {}

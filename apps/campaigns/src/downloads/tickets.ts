import { createHash } from 'node:crypto';
import { ticketPattern } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { downloadingSteps } from '../machine/device-update.js';

/** What a ticket gives access to. */
export interface Download {
  imageId: string;
  deviceId: string;
  size: number;
  checksum: string;
}

/** Only the hash is stored, so that reading the database does not allow a download. */
export const ticketHash = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');

const downloadSql = `
  SELECT c.image_id AS "imageId", d.device_id AS "deviceId", c.size, c.checksum
  FROM campaigns.campaign_devices d JOIN campaigns.update_campaigns c ON c.id = d.campaign_id
  WHERE d.ticket_hash = $1 AND d.state = 'updating' AND d.step = ANY($2)`;

/** Tickets of devices: each opens one package while the device may download it. */
@Injectable()
export class Tickets {
  constructor(private readonly database: DataSource) {}

  async find(ticket: string): Promise<Download | undefined> {
    if (!ticketPattern.test(ticket)) return undefined;
    const [found]: Download[] = await this.database.query(downloadSql, [ticketHash(ticket), downloadingSteps]);
    return found;
  }
}

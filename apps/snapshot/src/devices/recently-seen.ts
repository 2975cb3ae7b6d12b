import { setBounded } from '@lanyard/service';
import { connectedSlackMs } from '../limits.js';

/** Bounded cache of written rows: the session of each device and a recent connection. */
export class RecentlySeen {
  private readonly written = new Map<string, { epoch: number; connectedMs: number }>();

  constructor(private readonly devicesMax: number) {}

  /** Whether the row of the device is known, and this connection would not change it. */
  covers(deviceId: string, epoch: number, connectedMs: number): boolean {
    const row = this.written.get(deviceId);
    return row !== undefined && epoch <= row.epoch && connectedMs <= row.connectedMs + connectedSlackMs;
  }

  recordSeen(deviceId: string, epoch: number, connectedMs: number): void {
    const row = this.written.get(deviceId);
    const latest = {
      epoch: Math.max(epoch, row?.epoch ?? epoch),
      connectedMs: Math.max(connectedMs, row?.connectedMs ?? connectedMs),
    };
    setBounded(this.written, deviceId, latest, this.devicesMax);
  }
}

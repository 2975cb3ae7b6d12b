import { connectedSlackMs } from '../limits.js';

/** Of which devices the table has the session and a recent connection: what was written, in memory, bounded. */
export class RecentlySeen {
  private readonly written = new Map<string, { epoch: number; connectedMs: number }>();

  constructor(private readonly devicesMax: number) {}

  /** Nothing of this would change the row. */
  covers(deviceId: string, epoch: number, connectedMs: number): boolean {
    const row = this.written.get(deviceId);
    return row !== undefined && epoch <= row.epoch && connectedMs <= row.connectedMs + connectedSlackMs;
  }

  /** It is stored. */
  recordSeen(deviceId: string, epoch: number, connectedMs: number): void {
    const row = this.written.get(deviceId);
    this.written.delete(deviceId);
    this.written.set(deviceId, {
      epoch: Math.max(epoch, row?.epoch ?? epoch),
      connectedMs: Math.max(connectedMs, row?.connectedMs ?? connectedMs),
    });
    const [oldest] = this.written.keys();
    if (this.written.size > this.devicesMax && oldest !== undefined) this.written.delete(oldest);
  }
}

import type { DeviceEvent, Lanyard } from '@lanyard/client';
import { auditActionsOf } from './audit-actions.ts';

/** Codes of requests that the gateway refused, which changed nothing. */
const refusals = ['SYS_410', 'SYS_411'];

/** Entries of the event log, compared with the requests that they name. */
export class Trail {
  private readonly operations = new Map<string, string>();
  private readonly codes = new Map<string, Set<string>>();
  private sent = 0;

  /** Follows the log until the signal. */
  static async follow(lanyard: Lanyard, signal: AbortSignal): Promise<Trail> {
    const trail = new Trail();
    const entries = await lanyard.tail({ signal });
    void trail.read(entries);
    return trail;
  }

  /** A request id for the next request of an operation. */
  requestId(operation: string): string {
    const id = `trail-${this.sent++}`;
    this.operations.set(id, operation);
    return id;
  }

  codesOf(operation: string): string[] {
    return [...(this.codes.get(operation) ?? [])].toSorted();
  }

  /** Whether an operation changed something but is missing in the log, as far as is known now. */
  isMissing(operation: string): boolean {
    return auditActionsOf(operation).some(
      ({ codes = [], readBy }) => codes.length > 0 && readBy === undefined && this.codesOf(operation).length === 0,
    );
  }

  private async read(entries: AsyncIterable<DeviceEvent>): Promise<void> {
    for await (const { data, event_code: code } of entries) {
      if (refusals.includes(code)) continue;
      const operation = this.operations.get(data['request_id'] ?? '');
      if (operation === undefined) continue;
      const known = this.codes.get(operation) ?? new Set();
      this.codes.set(operation, known.add(code));
    }
  }
}

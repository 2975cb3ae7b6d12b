import { Injectable } from '@nestjs/common';
import type { NotificationMessage } from '../messages/notification-message.js';
import { BodyBudget } from '../queue/body-budget.js';

/** Smaller ones cost less than keeping them. */
const bytesMin = 16 * 1024;
const bytesKept = 32 * 1024 * 1024;

/** The bytes of a message, in a buffer that may be used again once they have left this process. */
export interface Body {
  bytes: Buffer;
  /** They have left. Never called when that is not sure: the buffer is not used again then. */
  left(): void;
}

/**
 * Memory of large bodies. To allocate, fill and free 200 kB for each message takes several times as long as to
 * copy them into memory that is there.
 */
@Injectable()
export class BodyBuffers {
  private readonly free = new Map<number, Buffer[]>();
  private kept = 0;

  constructor(readonly budget: BodyBudget) {}

  of(message: NotificationMessage): Body {
    if (message.bytes < bytesMin) return { bytes: message.toBuffer(), left: () => undefined };
    const size = 2 ** Math.ceil(Math.log2(message.bytes));
    const buffer = this.take(size);
    let isOurs = true;
    const left = (): void => {
      if (isOurs) this.give(buffer);
      isOurs = false;
    };
    return { bytes: message.writeTo(buffer), left };
  }

  private take(size: number): Buffer {
    const known = this.free.get(size)?.pop();
    if (known) this.kept -= size;
    return known ?? Buffer.allocUnsafeSlow(size);
  }

  private give(buffer: Buffer): void {
    if (this.kept + buffer.length > bytesKept) return;
    const same = this.free.get(buffer.length);
    if (same) same.push(buffer);
    else this.free.set(buffer.length, [buffer]);
    this.kept += buffer.length;
  }
}

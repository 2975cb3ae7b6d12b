import { Injectable } from '@nestjs/common';
import type { NotificationMessage } from '../messages/notification-message.js';
import { BodyBudget } from '../queue/body-budget.js';

/** Smaller buffers cost less than keeping them would. */
const bytesMin = 16 * 1024;
const bytesKept = 32 * 1024 * 1024;

/** The bytes of a message on its way, which count against the budget. */
export interface Body {
  bytes: Buffer;
  /** Ends the use of the body. `hasLeft`: no part of it is waiting in this process, so its memory may be used again. */
  done(hasLeft: boolean): void;
}

/**
 * Memory of large bodies. To allocate, fill and free 200 kB for each message takes twice the CPU time of copying it into
 * memory that is kept.
 */
@Injectable()
export class BodyBuffers {
  private readonly free = new Map<number, Buffer[]>();
  private kept = 0;

  constructor(readonly budget: BodyBudget) {}

  bodyOf(message: NotificationMessage): Body {
    const endInFlight = this.budget.begin(message.bytes);
    if (message.bytes < bytesMin) return { bytes: message.toBuffer(), done: endInFlight };
    const buffer = this.claimBuffer(2 ** Math.ceil(Math.log2(message.bytes)));
    let isOurs = true;
    const done = (hasLeft: boolean): void => {
      endInFlight();
      if (isOurs && hasLeft) this.keepBuffer(buffer);
      isOurs = false;
    };
    return { bytes: message.writeTo(buffer), done };
  }

  private claimBuffer(size: number): Buffer {
    const known = this.free.get(size)?.pop();
    if (known) this.kept -= size;
    return known ?? Buffer.allocUnsafeSlow(size);
  }

  private keepBuffer(buffer: Buffer): void {
    if (this.kept + buffer.length > bytesKept) return;
    const same = this.free.get(buffer.length);
    if (same) same.push(buffer);
    else this.free.set(buffer.length, [buffer]);
    this.kept += buffer.length;
  }
}

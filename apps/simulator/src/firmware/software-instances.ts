import { type FirmwareHost } from './firmware-host.js';
import { SoftwareManagement } from './software-management.js';

/** The instances of object 9 of one device. They are created when first used, because most devices are never given software. */
export class SoftwareInstances {
  private readonly used = new Map<number, SoftwareManagement>();

  constructor(private readonly host: FirmwareHost) {}

  /** undefined if the instance was never given any software. */
  get(instance: number): SoftwareManagement | undefined {
    return this.used.get(instance);
  }

  use(instance: number): SoftwareManagement {
    const found = this.used.get(instance) ?? new SoftwareManagement(this.host, instance);
    this.used.set(instance, found);
    return found;
  }

  restarted(): void {
    for (const software of this.used.values()) software.restarted();
  }

  /** A deleted instance loses its package. */
  removeDeleted(isThere: (instance: number) => boolean): void {
    for (const [instance, software] of this.used) {
      if (isThere(instance)) continue;
      software.uninstall();
      this.used.delete(instance);
    }
  }
}

import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { accessOf } from './guard.js';

/** Refuses to start a service with a route that does not declare its access. */
@Injectable()
export class DeclaredAccess implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const undeclared = this.discovery
      .getControllers()
      .flatMap(({ metatype }) => (metatype ? this.undeclaredOf(metatype as Type) : []));
    if (undeclared.length > 0)
      throw new Error(`Routes without @RequiresPermission, @AnyKey or @Public: ${undeclared.join(', ')}`);
  }

  private undeclaredOf(controller: Type): string[] {
    const prototype = controller.prototype as Record<string, () => unknown>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name] as () => unknown;
      const isRoute = Reflect.hasMetadata(METHOD_METADATA, handler);
      return isRoute && !accessOf(this.reflector, handler, controller) ? [`${controller.name}.${name}`] : [];
    });
  }
}

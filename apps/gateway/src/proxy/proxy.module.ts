import { CONFIG, ErrorFilter, type Logger, LOGGER } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AuthenticationModule } from '../authentication/authentication.module.js';
import type { GatewayConfig } from '../config.js';
import { CallerWatch } from './caller-watch.js';
import { ConnectionLimits } from './connection-limits.js';
import { DeviceScopes } from './device-scopes.js';
import { Handshakes } from './handshake.js';
import { IdentityTokens } from './identity-tokens.js';
import { OpenCalls } from './open-calls.js';
import { ProxyHandler } from './proxy-handler.js';
import { UpstreamReplicas } from './replicas.js';
import { ReverseProxy } from './reverse-proxy.js';
import { Tunnels } from './tunnels.js';
import { UnreadResponses } from './unread-responses.js';
import { Upgrades } from './upgrade.js';
import { UpstreamCalls } from './upstream-calls.js';
import { UpstreamClient } from './upstream-client.js';

@Module({
  imports: [AuthenticationModule],
  providers: [
    UpstreamReplicas,
    UpstreamCalls,
    UpstreamClient,
    IdentityTokens,
    DeviceScopes,
    CallerWatch,
    UnreadResponses,
    OpenCalls,
    ProxyHandler,
    ReverseProxy,
    ConnectionLimits,
    Handshakes,
    Tunnels,
    Upgrades,
    { provide: ErrorFilter, inject: [LOGGER], useFactory: (logger: Logger) => new ErrorFilter(logger) },
  ],
  exports: [DeviceScopes, IdentityTokens, UpstreamCalls, UpstreamClient],
})
export class ProxyModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly connections: ConnectionLimits,
    private readonly upgrades: Upgrades,
    private readonly openCalls: OpenCalls,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  onApplicationBootstrap(): void {
    const server = this.adapterHost.httpAdapter.getHttpServer();
    this.connections.attach(server);
    this.upgrades.attach(server);
  }

  /** Requests in progress end while HTTP still answers; the rest is cut after GATEWAY_DRAIN_TIMEOUT_MS. */
  async beforeApplicationShutdown(): Promise<void> {
    this.upgrades.stop();
    await this.openCalls.drain(this.config.drainTimeoutMs);
  }
}

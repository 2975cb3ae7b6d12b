import {
  AUTHENTICATOR,
  type Authenticator,
  identityHeader,
  keyTextOfSocket,
  Public,
  Unauthenticated,
} from '@lanyard/service';
import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { clientOf } from '../keys/client-of.js';
import { KeyDirectory } from '../keys/key-directory.js';
import { UpgradeRequired } from '../errors.js';

/** Answers requests that are no WebSocket handshake. Handshakes never get here: see websocket-server.ts. */
@ApiTags('Notifications')
@Public()
@ApiBearerAuth()
@Controller('v2/notification/websocket-connect')
export class WebSocketController {
  constructor(
    private readonly keys: KeyDirectory,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Connect the WebSocket',
    description: 'Send the key as a bearer token, or as `service_<key>` next to `wss` in Sec-WebSocket-Protocol.',
  })
  @ApiResponse({ status: 101, description: 'Switching protocols: events follow as text frames' })
  @ApiResponse({ status: 401, description: 'The request is not a WebSocket handshake, and has no valid key' })
  @ApiResponse({
    status: 429,
    description:
      'Another handshake with the same key is pending, the key or its account exceeds its rate of requests, or the client address is blocked after too many invalid keys',
  })
  @ApiResponse({ status: 426, description: 'The request is not a WebSocket handshake' })
  @ApiResponse({ status: 502, description: 'No dispatcher answers the gateway: reconnect in a few seconds' })
  async connect(@Req() request: FastifyRequest): Promise<never> {
    if (!(await this.isKnown(request))) throw new Unauthenticated();
    throw new UpgradeRequired();
  }

  private async isKnown(request: FastifyRequest): Promise<boolean> {
    const { authorization, 'sec-websocket-protocol': protocols } = request.headers;
    // The gateway has checked the key and removed it from the request: its token stands for the key.
    if (request.headers[identityHeader] !== undefined) return !!(await this.authenticator.authenticate(request));
    const text = keyTextOfSocket(authorization, protocols);
    return text !== undefined && (await this.keys.verify(text, clientOf(request.raw))) !== undefined;
  }
}

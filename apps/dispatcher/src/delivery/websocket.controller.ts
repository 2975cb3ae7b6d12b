import { Public, Unauthenticated } from '@lanyard/service';
import { Controller, Get, Headers, Inject } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { KeyDirectory } from '../channels/key-directory.js';
import { UpgradeRequired } from '../errors.js';
import { keyTextOf } from './socket-credential.js';

/** What a request gets that is no WebSocket handshake. Handshakes never come here: see websocket-server.ts. */
@ApiTags('Notifications')
@Public()
@Controller('v2/notification/websocket-connect')
export class WebSocketController {
  constructor(@Inject(KeyDirectory) private readonly keys: KeyDirectory) {}

  @Get()
  @ApiOperation({
    summary: 'Connect a WebSocket to the channel of the key',
    description: 'The key comes as bearer token, or as entry `service_<key>` beside `wss` in Sec-WebSocket-Protocol.',
  })
  @ApiResponse({ status: 101, description: 'Switching protocols: events follow as text frames' })
  @ApiResponse({ status: 401, description: 'No WebSocket handshake, and no valid key' })
  @ApiResponse({ status: 429, description: 'A handshake with the same key is not answered yet' })
  @ApiResponse({ status: 426, description: 'No WebSocket handshake' })
  async connect(@Headers() headers: Record<string, string | undefined>): Promise<never> {
    const text = keyTextOf(headers['authorization'], headers['sec-websocket-protocol']);
    if (text === undefined || !(await this.keys.verify(text))) throw new Unauthenticated();
    throw new UpgradeRequired();
  }
}

export { Code, formatCode } from './codec/code.js';
export { decodeMessage } from './codec/decode.js';
export { encodeMessage } from './codec/encode.js';
export { type CoapMessage, type CoapOption, type MessageType } from './codec/message.js';
export { type CoapEndpoint } from './endpoint/coap-endpoint.js';
export { CoapUdpEndpoint } from './endpoint/coap-udp-endpoint.js';
export { type CoapEvent, type CoapGauges } from './state/events.js';
export { type CoapLimits, DEFAULT_LIMITS, SOURCE_BYTES_MAX } from './limits.js';
export { type CoapDatagramEndpointOptions, type CoapUdpEndpointOptions, type PeerRadio } from './state/options.js';
export { type BoundAddress, type DatagramReceiver, type DatagramTransport } from './state/datagram-transport.js';
export { CoapDatagramEndpoint } from './endpoint/coap-datagram-endpoint.js';
export { UdpSocket } from './endpoint/udp-socket.js';
export {
  BlockTransferFailed,
  CoapError,
  EndpointClosed,
  InvalidPeerAddress,
  MalformedMessage,
  MessageTooLarge,
  NotConnected,
  PeerForgotten,
  PeerReset,
  QueueFull,
  RequestAbandoned,
  RequestTimedOut,
  SourceUnavailable,
  UnencodableMessage,
  UnusableResponse,
} from './errors.js';
export { type BodyBlock } from './messages/body-block.js';
export { type BodySource } from './messages/body-source.js';
export { type CoapRequest, type OutgoingRequest } from './messages/request.js';
export { type CoapResponse, type ReceivedResponse } from './messages/response.js';
export {
  type CoapNotification,
  type NotificationHandler,
  type NotifyOutcome,
  type Observation,
  type OutgoingNotification,
  type UnmatchedNotification,
} from './messages/notification.js';
export { type NewestNotification } from './peer/observe-order.js';
export { type Peer, peerOf } from './messages/peer.js';
export { CoapStreamEndpoint, type StreamTarget } from './stream/coap-stream-endpoint.js';
export { type StreamEvent, type StreamGauges } from './stream/events.js';
export { DEFAULT_STREAM_LIMITS, type StreamLimits } from './stream/limits.js';
export { type CoapStreamEndpointOptions, type StreamSecurity } from './stream/options.js';
export { streamPeerOf } from './stream/stream-peer.js';
export { type CoapClock, systemCoapClock } from './timing/clock.js';
export { type Timer, TimerWheel } from './timing/timer-wheel.js';

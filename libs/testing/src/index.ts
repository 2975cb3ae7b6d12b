export * from './engines.js';
export * from './eventually.js';
export * from './device/device-client.js';
export * from './device/device-resource.js';
export * from './device/thermometer.js';
export * from './receivers/callback-receiver.js';
export * from './receivers/notification-message.js';
export * from './receivers/websocket-client.js';

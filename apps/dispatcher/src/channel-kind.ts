export type ChannelKind = 'callback' | 'websocket' | 'pull';

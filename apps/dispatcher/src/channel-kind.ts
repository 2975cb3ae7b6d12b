/** How a channel hands its events over. */
export type ChannelKind = 'callback' | 'websocket' | 'pull';

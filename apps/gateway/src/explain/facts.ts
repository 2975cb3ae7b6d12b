/** The facts that services provide for explanations; each is described where it is created. */

export interface Session {
  registered_at: string;
  last_heard_at: string;
  expires_at: string;
  queue_mode: boolean;
  asleep: boolean;
  observed: string[];
}

/** A record of GET /v3/device-requests. */
export interface CommandFacts {
  async_id: string;
  device_id: string;
  kind: string;
  method: string;
  uri: string;
  state: 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  attempts: number;
  attempted_at: string | null;
  created_at: string;
  expires_at: string;
  finished_at: string | null;
  status: number | null;
  error: string | null;
  note: string | null;
}

export interface CommandPart {
  command: CommandFacts;
  ahead: number;
  session: Session | null;
}

export interface DevicePart {
  session: Session | null;
  commands: CommandFacts[];
  has_more: boolean;
  waiting: number;
}

export interface ChannelFacts {
  key_id: string;
  delivery_mechanism: string;
  created_at: string;
  connected: boolean;
  queue_size: number;
  oldest: string | null;
  failures: number;
  failing_since: string | null;
  stopped: string | null;
  dropped: { size: number; age: number; failed: number };
}

export interface EventPart {
  uid: string;
  category: string;
  device_id: string;
  path?: string;
  async_id?: string;
  occurred_at: string;
  announced_at: string;
  topic: string;
  partition: number;
  offset: string;
  channels: {
    progress: 'on the way' | 'queued' | 'left the queue' | 'older than the channel';
    channel: ChannelFacts;
  }[];
  without_channel: number;
}

/** Fields of GET /v3/devices/{id}. */
export interface DeviceFacts {
  id: string;
  endpoint_name: string | null;
  created_at: string;
  state: string;
  lifecycle_status: 'enabled' | 'blocked';
  operator_suspended: boolean;
  system_suspended: boolean;
}

/** Fields of GET /v3/device-events. */
export interface LogFacts {
  id: string;
  date_time: string;
  event_code: string;
  event_type_description: string;
  description: string;
}

/** Fields of GET /v3/devices/{id}/echo. */
export interface EchoFacts {
  resources: { resource_path: string; subscribed: boolean; reported?: { reported_at: string } }[];
}

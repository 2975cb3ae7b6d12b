import { Metrics } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { NotificationMessage } from '../messages/notification-message.js';
import type { AppendOutcome } from '../queue/append-outcome.js';
import type { Drop } from '../queue/drop-report.js';
import { EventTraces } from '../tracing/event-traces.js';

/** Metrics and traces of this replica, for its operators. */
@Injectable()
export class Telemetry {
  private readonly eventsAppended = this.metrics.counter({
    name: 'lanyard_dispatcher_events_appended_total',
    help: 'Events put into queues of channels',
  });
  private readonly eventsSkipped = this.metrics.counter({
    name: 'lanyard_dispatcher_events_skipped_total',
    help: 'Events whose key has no channel, or had none when they were queued',
    labelNames: ['reason'],
  });
  private readonly eventsDropped = this.metrics.counter({
    name: 'lanyard_dispatcher_events_dropped_total',
    help: 'Events removed from queues undelivered: size, age, failed (free accounts), or removed with their channel',
    labelNames: ['reason'],
  });
  private readonly replayedDropped = this.metrics.counter({
    name: 'lanyard_dispatcher_replayed_events_dropped_total',
    help: 'Dropped events that were part of a replay after a loss of Redis: most had been delivered before',
    labelNames: ['reason'],
  });
  private readonly eventsDelivered = this.metrics.counter({
    name: 'lanyard_dispatcher_events_delivered_total',
    help: 'Events whose delivery was confirmed',
    labelNames: ['kind'],
  });
  private readonly offsetRewinds = this.metrics.counter({
    name: 'lanyard_dispatcher_offset_rewinds_total',
    help: 'Partitions read from their beginning, because Kafka lost messages',
    labelNames: ['topic'],
  });
  private readonly requests = this.metrics.counter({
    name: 'lanyard_dispatcher_callback_requests_total',
    help: 'Callback requests by outcome',
    labelNames: ['outcome'],
  });
  private readonly socketsClosed = this.metrics.counter({
    name: 'lanyard_dispatcher_sockets_closed_total',
    help: 'Sockets closed by the service, by cause',
    labelNames: ['cause'],
  });

  constructor(
    private readonly metrics: Metrics,
    @Inject(EventTraces) private readonly traces: Pick<EventTraces, 'sent'>,
  ) {}

  appended({ events, skipped, dropped }: AppendOutcome, isReplay: boolean): void {
    if (isReplay && dropped.size) this.replayedDropped.inc({ reason: 'size' }, dropped.size);
    if (isReplay && dropped.age) this.replayedDropped.inc({ reason: 'age' }, dropped.age);
    this.eventsAppended.inc(events);
    if (skipped.noChannel) this.eventsSkipped.inc({ reason: 'no channel' }, skipped.noChannel);
    if (skipped.beforeChannel) this.eventsSkipped.inc({ reason: 'before channel' }, skipped.beforeChannel);
  }

  /** Called only where drops are announced: so each event counts once, and none counts that arrived after all. */
  dropped(drops: readonly Drop[]): void {
    for (const { reason, count } of drops) this.eventsDropped.inc({ reason }, count);
  }

  /** A message with events of the channel has left for its application. */
  sent(kind: 'callback' | 'websocket', channelId: string, message: NotificationMessage): void {
    this.traces.sent(kind, channelId, message);
  }

  delivered(kind: 'callback' | 'websocket' | 'pull', events: number): void {
    this.eventsDelivered.inc({ kind }, events);
  }

  offsetsRewound(topic: string): void {
    this.offsetRewinds.inc({ topic });
  }

  request(outcome: string): void {
    this.requests.inc({ outcome });
  }

  closed(cause: string): void {
    this.socketsClosed.inc({ cause });
  }

  replay(left: () => ReadonlyMap<string, number>): void {
    this.metrics.gauge({
      name: 'lanyard_dispatcher_replay_messages_left',
      help: 'Messages that this replica still has to read again before new ones, because Redis had no position',
      labelNames: ['topic'],
      collect() {
        for (const [topic, messages] of left()) this.set({ topic }, messages);
      },
    });
  }

  recentBytes(count: () => number): void {
    const help = 'Bytes of recently appended events in memory, which are delivered without reading them from Redis';
    this.metrics.observe({ name: 'lanyard_dispatcher_recent_bytes', help }, count);
  }

  sockets(count: () => number): void {
    this.metrics.observe({ name: 'lanyard_dispatcher_sockets', help: 'Open WebSockets' }, count);
  }
}

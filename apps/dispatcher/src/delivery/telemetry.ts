import type { Metrics } from '@lanyard/service';
import type { AppendOutcome } from '../intake/shard-appender.js';

/** What an operator sees of this replica. */
export class Telemetry {
  private readonly eventsAppended;
  private readonly eventsSkipped;
  private readonly eventsDropped;
  private readonly eventsDelivered;
  private readonly requests;
  private readonly socketsClosed;

  constructor(private readonly metrics: Metrics) {
    this.eventsAppended = metrics.counter({
      name: 'lanyard_dispatcher_events_appended_total',
      help: 'Events put into queues of channels',
    });
    this.eventsSkipped = metrics.counter({
      name: 'lanyard_dispatcher_events_skipped_total',
      help: 'Events whose key has no channel, or had none when they were queued',
      labelNames: ['reason'],
    });
    this.eventsDropped = metrics.counter({
      name: 'lanyard_dispatcher_events_dropped_total',
      help: 'Events removed from queues undelivered: size, age, or failed delivery of a free account',
      labelNames: ['reason'],
    });
    this.eventsDelivered = metrics.counter({
      name: 'lanyard_dispatcher_events_delivered_total',
      help: 'Events confirmed',
      labelNames: ['kind'],
    });
    this.requests = metrics.counter({
      name: 'lanyard_dispatcher_callback_requests_total',
      help: 'Callback requests by outcome',
      labelNames: ['outcome'],
    });
    this.socketsClosed = metrics.counter({
      name: 'lanyard_dispatcher_sockets_closed_total',
      help: 'Sockets closed by the service, by cause',
      labelNames: ['cause'],
    });
  }

  appended({ events, skipped, dropped }: AppendOutcome): void {
    this.eventsAppended.inc(events);
    if (skipped.noChannel) this.eventsSkipped.inc({ reason: 'no channel' }, skipped.noChannel);
    if (skipped.beforeChannel) this.eventsSkipped.inc({ reason: 'before channel' }, skipped.beforeChannel);
    if (dropped.size) this.dropped('size', dropped.size);
    if (dropped.age) this.dropped('age', dropped.age);
  }

  dropped(reason: 'size' | 'age' | 'failed', events: number): void {
    this.eventsDropped.inc({ reason }, events);
  }

  delivered(kind: 'callback' | 'websocket' | 'pull', events: number): void {
    this.eventsDelivered.inc({ kind }, events);
  }

  request(outcome: string): void {
    this.requests.inc({ outcome });
  }

  closed(cause: string): void {
    this.socketsClosed.inc({ cause });
  }

  sockets(count: () => number): void {
    this.metrics.gauge({
      name: 'lanyard_dispatcher_sockets',
      help: 'Open WebSockets',
      collect() {
        this.set(count());
      },
    });
  }
}

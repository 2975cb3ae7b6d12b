import { Metrics } from '@lanyard/service';
import { Injectable } from '@nestjs/common';

type ReplicaEvent =
  /** States written to Redis. */
  | 'saved'
  /** Connections that this replica took over. */
  | 'taken'
  /** Connections that another replica took over. */
  | 'lost'
  /** States that cannot be read. */
  | 'unreadable'
  /** States that are not valid, or whose device may no longer connect. */
  | 'refused'
  /** Records with an id that Redis does not have. */
  | 'unknown'
  /** Records that were dropped: too many waited, Redis did not answer, or there is no way to reach their owner. */
  | 'dropped'
  /** Datagrams to and from other replicas. */
  | 'forwarded'
  | 'forwarded-here'
  | 'answered-through-another'
  | 'answered-for-another'
  /** A forwarded record whose connection is not here. */
  | 'misdirected'
  /** Messages on the peer port that are not authentic, were received before, or came too late. */
  | 'peer-forged'
  | 'peer-replayed'
  | 'peer-late';

/** What happens to DTLS connections between replicas. */
@Injectable()
export class ReplicaEvents {
  private readonly counter: { inc(labels: { event: ReplicaEvent }): void };

  constructor(metrics: Metrics) {
    this.counter = metrics.counter({
      name: 'lanyard_device_proxy_dtls_replica_events_total',
      help: 'What happened to DTLS connections and their records between replicas',
      labelNames: ['event'],
    });
  }

  count(event: ReplicaEvent): void {
    this.counter.inc({ event });
  }
}

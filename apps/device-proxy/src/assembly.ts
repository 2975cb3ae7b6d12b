import { AuditTrail } from '@lanyard/kafka';
import type { ServiceParts } from '@lanyard/service';
import { CommandExpiry } from './commands/expiry.js';
import { CommandQueue } from './commands/command-queue.js';
import { Commands } from './commands/commands.js';
import { Deliverer } from './commands/deliverer.js';
import { CommandHistory } from './commands/history.js';
import { WaitingCallers } from './device-requests/waiting-callers.js';
import type { DeviceProxyConfig } from './config.js';
import { Asker } from './downlink/asker.js';
import { CachedValues } from './endpoints/cached-values.js';
import { Endpoints } from './endpoints/endpoints.js';
import type { Engines } from './engines.js';
import { Explanations } from './explain/explanations.js';
import { UnreadableReports } from './events/unreadable-reports.js';
import { FirmwareReports } from './firmware/firmware-reports.js';
import { AccountSettings } from './intake/account-settings.js';
import { Admission } from './intake/admission.js';
import { DeviceDirectory } from './intake/device-directory.js';
import { FirstContacts } from './intake/first-contacts.js';
import { Expulsion } from './suspension/expulsion.js';
import { Introductions } from './intake/introductions.js';
import { Keys } from './subscriptions/keys.js';
import { followModels } from './models/follow-models.js';
import { UploadedModels } from './models/uploaded-models.js';
import { Observer } from './observations/observer.js';
import { Values } from './observations/values.js';
import { Rules } from './presubscriptions/rules.js';
import { expiryGraceMs as defaultExpiryGraceMs } from './sessions/limits.js';
import { CatchUp } from './commands/catch-up.js';
import { Heard } from './sessions/heard.js';
import { Nudges } from './sessions/nudges.js';
import { SessionFacts } from './sessions/session-facts.js';
import { SessionStore } from './sessions/session-store.js';
import { Sessions } from './sessions/sessions.js';
import { Sweeper } from './sessions/sweeper.js';
import { Interest } from './interest/interest.js';
import { Keeper } from './subscriptions/keeper.js';
import { SubscriptionsOfKeys } from './subscriptions/key-subscriptions.js';
import { Receivers } from './observations/receivers.js';
import { SubscriptionBook } from './interest/subscription-book.js';
import { SubscriptionStore } from './interest/subscription-store.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import type { DeviceLink } from './transport/device-link.js';
import { Afterwards } from './uplink/afterwards.js';
import { Deregister } from './uplink/deregister.js';
import { Notify } from './uplink/notify.js';
import { Register } from './uplink/register.js';
import type { Uplink } from './uplink/router.js';
import { Send } from './uplink/send.js';
import { Update } from './uplink/update.js';

export type Assembly = ReturnType<typeof assemble>;

/** Everything that runs in one replica, put together once. Nothing is started here. */
export const assemble = (config: DeviceProxyConfig, parts: ServiceParts, engines: Engines, link: DeviceLink) => {
  const { replicaId, redisPrefix, expiryGraceMs = defaultExpiryGraceMs } = config;
  const { clock, logger, metrics, tracing } = parts;
  const { dataSource, outbox, producer } = engines;
  const audit = new AuditTrail(outbox);

  const store = new SessionStore(engines.redis, redisPrefix, replicaId);
  const nudges = new Nudges(engines.redis, engines.redisSubscriber, store.keys, replicaId);
  const sessions = new Sessions(store, nudges, clock, logger, config.awakeMs);
  const heard = new Heard(sessions, clock, logger);
  const facts = new SessionFacts(producer, clock);
  const models = followModels(engines.models);
  const firmware = new FirmwareReports(dataSource, outbox, models, clock, logger);
  const unreadable = new UnreadableReports(producer, clock, logger, metrics);
  const receivers = new Receivers(engines.keys);
  const values = new Values({ producer, firmware, models, unreadable, receivers, clock, logger });
  const directory = new DeviceDirectory(engines.lifecycle);
  const contacts = new FirstContacts(dataSource, clock);
  // Registrations get half of the room for requests; half of that is for devices that are new.
  const introductions = new Introductions(producer, directory, clock, Math.ceil(config.requestsUnderWayMax / 4));
  const admission = new Admission(directory, engines.accounts, contacts, introductions, logger);

  const subscriptionStore = new SubscriptionStore(outbox, clock);
  const book = new SubscriptionBook(dataSource, subscriptionStore);
  const interest = new Interest(dataSource, subscriptionStore, book);
  const rules = new Rules(dataSource, nudges, audit, clock);
  const asker = new Asker(link, heard, models);
  const observer = new Observer(sessions, asker, link, values, clock, logger);
  heard.writesAlong((session) => observer.newestOf(session));
  const keeper = new Keeper({
    dataSource,
    store: subscriptionStore,
    book,
    interest,
    rules,
    observer,
    sessions,
    logger,
  });

  const finishedTotal = metrics.counter({
    name: 'lanyard_device_proxy_commands_finished_total',
    help: 'Commands that ended, by where they came from and how they ended',
    labelNames: ['kind', 'outcome'],
  });
  const queue = new CommandQueue({
    dataSource,
    outbox,
    clock,
    subscriptions: subscriptionStore,
    replicaId,
    endpointNameOf: (deviceId) => directory.get(deviceId)?.endpointName || sessions.get(deviceId)?.data.endpointName,
    onFinished: ({ id: commandId, kind, acceptedBy, asyncId }, { outcome }) => {
      finishedTotal.inc({ kind, outcome });
      nudges
        .tell(acceptedBy, { about: 'finished', commandId, asyncId, succeeded: outcome === 'succeeded' })
        .catch((error: unknown) => {
          logger.debug({ err: error }, 'end of a command not announced to other replicas');
        });
    },
  });
  const deliverer = new Deliverer({
    sessions,
    queue,
    asker,
    observer,
    values,
    interest,
    replicaId,
    clock,
    logger,
    tracing,
  });
  const commands = new Commands(queue, directory, store, nudges, clock);
  const subscriptions = new Subscriptions({
    dataSource,
    store: subscriptionStore,
    commands,
    sessions: store,
    nudges,
    clock,
  });
  const afterwards = new Afterwards(heard, deliverer, keeper, observer, logger);

  const review = (deviceId: string): void => {
    const session = sessions.get(deviceId);
    if (session) void keeper.review(session);
  };
  const catchUp = new CatchUp(
    dataSource,
    sessions,
    { commands: (deviceId) => deliverer.poke(deviceId), interest: review },
    clock,
    logger,
  );
  nudges.onLost(() => {
    catchUp.everything().catch((error: unknown) => logger.warn({ err: error }, 'commands not looked for'));
  });
  nudges.on((nudge) => {
    if (nudge.about === 'commands') deliverer.poke(nudge.deviceId);
    if (nudge.about === 'interest') review(nudge.deviceId);
  });
  heard.onHeard(({ deviceId }) => deliverer.heard(deviceId));
  sessions.listen({
    // It existed before: its audience must be known before its next value arrives. Restored ones are looked up together.
    began: async (session, how) => {
      if (how !== 'taken') return;
      await interest.load(session);
      deliverer.look(session.deviceId);
    },
  });

  const uplink: Uplink = {
    register: new Register({ admission, sessions, facts, keeper, afterwards, clock, expiryGraceMs, logger }),
    update: new Update({ sessions, facts, observer, afterwards, clock, expiryGraceMs, logger }),
    deregister: new Deregister(sessions, facts),
    send: new Send(sessions, heard, values, models, clock, logger),
  };

  return {
    store,
    nudges,
    sessions,
    facts,
    heard,
    catchUp,
    sweeper: new Sweeper(sessions, facts, nudges, clock, logger),
    deliverer,
    interest,
    observer,
    expiry: new CommandExpiry(dataSource, queue, clock, logger),
    expulsion: new Expulsion({ directory, admission, sessions, facts, queue, keeper, dataSource, clock, logger }),
    keys: new Keys(engines.keys, receivers, dataSource, subscriptions, rules, clock, logger),
    commands,
    queue,
    callers: new WaitingCallers(dataSource, nudges, clock),
    uploadedModels: new UploadedModels(dataSource, outbox, audit, clock),
    history: new CommandHistory(dataSource),
    explanations: new Explanations(dataSource, store, clock, config.awakeMs),
    endpoints: new Endpoints(store, commands),
    cachedValues: new CachedValues(sessions, nudges, clock, replicaId),
    accountSettings: new AccountSettings(engines.accounts),
    rules,
    subscriptions,
    subscriptionsOfKeys: new SubscriptionsOfKeys(dataSource, subscriptions, rules),
    admission,
    uplink,
    notify: new Notify({ sessions, heard, values, observer, keeper, logger, tracing }),
  };
};

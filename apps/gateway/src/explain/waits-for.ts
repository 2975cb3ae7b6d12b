import type { ChannelFacts, CommandPart, DeviceFacts, DevicePart, EventPart, Session } from './facts.js';
import { counted } from './timeline.js';

/** What must happen to the oldest event of a channel, as the object of "waits for". */
const channelWaits = ({ delivery_mechanism, connected, failures, stopped, queue_size }: ChannelFacts): string => {
  const behind = `${counted(queue_size, 'event')} in the queue of the channel`;
  if (stopped) return `the callback, which is stopped (${stopped}), with ${behind}`;
  if (delivery_mechanism === 'CALLBACK')
    return failures > 0
      ? `the callback to answer 200 or 204: it has failed ${counted(failures, 'time')} in a row, with ${behind}`
      : `the callback to accept it, with ${behind}`;
  if (delivery_mechanism === 'WEB_SOCKET')
    return connected
      ? `the WebSocket to receive it, with ${behind}`
      : `the application to open its WebSocket, with ${behind}`;
  return `the application to poll, with ${behind}`;
};

const commandDelivered = (finishedAt: string, channel: ChannelFacts | undefined): string => {
  if (!channel)
    return 'Nothing: the command has finished. The key has no notification channel: read the result with GET /v3/device-requests/{async-id}.';
  if (channel.oldest !== null && channel.oldest <= finishedAt)
    return `The command has finished; its result waits for ${channelWaits(channel)}.`;
  if (channel.queue_size > 0)
    return "The command has finished. Its result was delivered, or is still in the channel's queue.";
  return 'Nothing: the command has finished, and the queue of the channel of the key is empty.';
};

/** What the device must do first, as the end of a sentence that begins with "waits"; `otherwise` if it listens. */
const deviceAnswers = (session: Session | null, otherwise: string): string => {
  if (!session) return 'for the device to register; it has no registration now';
  return session.asleep
    ? `for the device to wake up: it uses queue mode and was last heard at ${session.last_heard_at}`
    : otherwise;
};

/** `channel` undefined: the key has no channel, or it is unknown. */
export const commandWaits = ({ command, ahead, session }: CommandPart, channel: ChannelFacts | undefined): string => {
  const { state, attempts, expires_at, finished_at } = command;
  if (finished_at) return commandDelivered(finished_at, channel);
  if (state === 'executing') return `It waits for the device to answer attempt ${attempts}.`;
  const until = `; it expires at ${expires_at}`;
  if (ahead > 0 && session && !session.asleep)
    return `It waits for ${counted(ahead, 'command')} of the same device before it${until}.`;
  const nextAttempt =
    attempts > 0
      ? `for its next attempt, after ${counted(attempts, 'attempt')}`
      : 'to be sent, which should happen within seconds';
  return `It waits ${deviceAnswers(session, nextAttempt)}${until}.`;
};

/** What ends the suspension of a device. The system suspends the devices of a suspended account, and resumes them with it. */
const resumption = ({ operator_suspended, system_suspended }: DeviceFacts): string => {
  if (!system_suspended) return 'an operator resumes it';
  const bySystem = 'the system resumes it with its account';
  return operator_suspended ? `an operator resumes it and ${bySystem}` : bySystem;
};

export const deviceWaits = (device: DeviceFacts, { session, waiting }: DevicePart): string => {
  if (device.lifecycle_status === 'blocked')
    return `The device is suspended: its connections are rejected until ${resumption(device)}.`;
  const commands = waiting > 0 ? ` ${counted(waiting, 'command')} ${waiting === 1 ? 'waits' : 'wait'}.` : '';
  if (session && !session.asleep)
    return waiting > 0
      ? `The device is registered and listens; ${counted(waiting, 'command')} ${waiting === 1 ? 'is' : 'are'} in progress or next.`
      : 'Nothing: the device is registered and listens.';
  return `Lanyard waits ${deviceAnswers(session, '')}.${commands}`;
};

export const eventWaits = ({ channels, without_channel }: EventPart): string => {
  if (channels.length === 0)
    return without_channel > 0
      ? 'Nothing: the keys that should receive the event have no notification channel.'
      : 'Nothing: no channel visible to this key received the event.';
  const onTheWay = channels.filter(({ progress }) => progress === 'on the way').length;
  if (onTheWay > 0) return `It waits for the dispatcher to put it into ${counted(onTheWay, 'queue')}.`;
  const [queued] = channels.filter(({ progress }) => progress === 'queued');
  if (queued) return `It waits for ${channelWaits(queued.channel)}.`;
  const left = channels.filter(({ progress }) => progress === 'left the queue').length;
  if (left === 0) return 'Nothing: the channels were created after the event.';
  const lost = channels.some(({ channel: { dropped } }) => dropped.size + dropped.age + dropped.failed > 0);
  return lost
    ? 'Nothing: it has left the queue. It was confirmed, or is among the events that the channel dropped because of a limit.'
    : `Nothing: it was confirmed by ${counted(left, 'channel')}.`;
};

import type { Answer } from '../contract.ts';
import { type Interaction, TOKEN_LIVES_MS } from '../world/interactions.ts';
import type { SeenMessage, StoredMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';

/** Waits for what a member's Discord would show in the end. */
export async function answerTo(world: World, interaction: Interaction): Promise<Answer> {
  const how = await interaction.answered;
  switch (how.type) {
    case 'lost':
    case 'choices':
      return { kind: 'lost' };
    case 'modal':
      return { kind: 'modal', modal: { data: how.modal, interactionId: interaction.id } };
    case 'message':
      return loaded(world, interaction, how.message);
    case 'update':
      return {
        kind: 'message',
        message: how.deferred ? await afterDeferredUpdate(world, interaction, how.message) : how.message.seen,
      };
  }
}

/** "Thinking…" until it is edited or deleted; when neither happens in 15 minutes Discord gives up on it. */
async function loaded(world: World, interaction: Interaction, message: StoredMessage): Promise<Answer> {
  const over = expiry(world, interaction);
  while (message.seen.loading) {
    const what = await Promise.race([message.seen.changed().then(() => 'changed' as const), over.promise]);
    if (what === 'over') break;
  }
  over.cancel();
  if (message.seen.loading) return { kind: 'lost' };
  return { kind: 'message', message: message.seen };
}

/** A deferred update shows nothing; what is seen next is the edited message, or a follow-up beside it. */
async function afterDeferredUpdate(
  world: World,
  interaction: Interaction,
  { seen }: StoredMessage,
): Promise<SeenMessage> {
  const over = expiry(world, interaction);
  const edit = seen.changed().then(() => seen);
  const beside = interaction.followedUp.promise.then(() => interaction.followUps.at(-1)?.seen ?? seen);
  const answer = await Promise.race([edit, beside, over.promise.then(() => seen)]);
  over.cancel();
  return answer;
}

function expiry(world: World, { createdAt }: Interaction) {
  const { promise, resolve } = Promise.withResolvers<'over'>();
  const giveUp = () => resolve('over');
  const stopTimer = world.clock.setTimeout(giveUp, createdAt + TOKEN_LIVES_MS - world.clock.now());
  const stopListening = world.onClose(giveUp);
  const cancel = () => {
    stopTimer();
    stopListening();
  };
  return { promise, cancel };
}

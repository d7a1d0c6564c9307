import type { Answer } from '../contract.ts';
import { type Interaction, TOKEN_LIVES_MS } from '../world/interactions.ts';
import type { SeenMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';

/** Waits for the final reply that the user sees. */
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
        message:
          how.deferred || saysMoreFollows(how.message)
            ? await afterUpdate(world, interaction, how.message)
            : how.message,
      };
  }
}

/** Waits until a "Thinking…" message is edited. Discord stops waiting after 15 minutes. */
const loaded = (world: World, interaction: Interaction, message: SeenMessage): Promise<Answer> =>
  untilExpiry(world, interaction, async (over) => {
    let isOver = false;
    while (message.loading && !isOver) {
      isOver = await Promise.race([message.changed().then(() => false), over.then(() => true)]);
    }
    return message.loading ? { kind: 'lost' } : { kind: 'message', message };
  });

/** Whether the message is a single line like "Sending…", in any language. */
const saysMoreFollows = ({ current }: SeenMessage): boolean => /^[^\n]{1,40}…\P{L}*$/u.test(current.content);

/** Waits until a deferred update becomes visible: as an edit of the message, or as a follow-up. */
const afterUpdate = (world: World, interaction: Interaction, message: SeenMessage): Promise<SeenMessage> =>
  untilExpiry(world, interaction, (over) => {
    const edited = async () => {
      do await message.changed();
      while (saysMoreFollows(message));
      return message;
    };
    const beside = interaction.followedUp.promise.then(() => interaction.followUps.at(-1) ?? message);
    return Promise.race([edited(), beside, over.then(() => message)]);
  });

/** @param wait is called with a promise that resolves when the interaction's token expires */
function untilExpiry<Result>(
  { clock }: World,
  { createdAt }: Interaction,
  wait: (over: Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = clock.setTimeout(resolve, createdAt + TOKEN_LIVES_MS - clock.now());
  return wait(over).finally(cancel);
}

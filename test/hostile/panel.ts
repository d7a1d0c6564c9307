import type { Answer, Person, Upload } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { memberOf } from '../../sandbox/people.ts';
import { componentsOf } from '../support/people.ts';
import type { World } from './world.ts';

/** Returns the newest panel in a user's channel. */
const panelOf = ({ discord }: World, { channelId }: Person): SeenMessage | undefined =>
  discord
    .messages({ channelId })
    .findLast((message) => componentsOf(message).some(({ custom_id }) => custom_id === 'addserver:new:'));

/** Posts a panel with this text as an admin. */
export async function postPanel({ discord }: World, guildId: string, text: string): Promise<Answer> {
  const guild = discord.guilds.find(({ id }) => id === guildId);
  if (guild === undefined) throw new Error(`there is no guild ${guildId}`);
  const admin = discord.person({ guild, name: 'admin', ...memberOf(guild, 'admin') });
  const opened = await admin.slash('panel');
  if (opened.kind === 'modal') return admin.submit(opened.modal, { text });
  if (opened.kind !== 'message') return opened;
  // The guild has the maximum number of panels, so this removes the oldest panel in /settings. A killed bot might not
  // respond to any of these steps.
  const settings = await admin.slash('settings');
  if (settings.kind !== 'message') return settings;
  const panels = await admin.pick(settings, ['Panels']);
  if (panels.kind !== 'message') return panels;
  const question = await admin.press(panels, 'Stop managing');
  if (question.kind !== 'message') return question;
  await admin.press(question, 'Stop managing');
  const again = await admin.slash('panel');
  return again.kind === 'modal' ? admin.submit(again.modal, { text }) : again;
}

/** Presses the button on the guild's panel, and submits the modal that it opens. */
export async function throughPanel(
  world: World,
  person: Person,
  label: string,
  entered: Readonly<Record<string, string | Upload>> = {},
): Promise<Answer> {
  if (panelOf(world, person) === undefined) await postPanel(world, person.guildId, 'Be kind.');
  const panel = panelOf(world, person);
  if (panel === undefined) return { kind: 'rejected', why: 'the panel could not be posted' };
  const answer = await person.press(panel, label);
  return answer.kind === 'modal' ? person.submit(answer.modal, entered) : answer;
}

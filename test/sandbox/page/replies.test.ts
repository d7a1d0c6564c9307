import { ComponentType } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rowsOf } from '../../../sandbox/discord/client/components.ts';
import { createPlayer } from '../../../sandbox/page/player.ts';
import { SCENARIOS } from '../../../sandbox/page/scenarios.ts';
import { ROLE_NAMES } from '../../../sandbox/people.ts';
import { openSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';

type Shown = ReturnType<Sandbox['discord']['messages']>[number]['current'];

const locale = 'en-US';
/** Everything that a scenario shows, by its JSON, so that unchanged messages are checked once. */
const shown = new Map<string, Shown>();

/** Returns a message's text as people read it, without markup and without the targets of links. */
const textOf = ({ content, embeds }: Shown): string =>
  [content, ...embeds.flatMap(({ title, description }) => [title, description])]
    .filter((text) => text !== undefined)
    .join('\n')
    .replaceAll(/\]\(<?[^)]*\)/g, ']')
    .replaceAll(/[[\]*]/g, '');

/** Splits text at full stops. Items of a list, and lines that only name a game server, aren't sentences. */
const sentencesOf = (shownMessage: Shown): readonly string[] =>
  textOf(shownMessage)
    .split('\n')
    .filter((line) => !line.startsWith('- '))
    .flatMap((line) => line.split(/(?<=[.!?:])\s+/u))
    .map((sentence) => sentence.replace(/^[^\p{L}\p{N}]+/u, '').trim())
    .filter((sentence) => sentence.split(' ').length > 1 && !sentence.includes('`'));

const labelsOf = (shownMessage: Shown): readonly string[] =>
  rowsOf(shownMessage)
    .flat()
    .flatMap((control) => {
      if (control.type !== ComponentType.Button) return [control.placeholder ?? ''];
      return 'label' in control ? [control.label ?? ''] : [];
    })
    .filter((label) => label !== '');

const isReply = ({ interaction_metadata: origin }: Shown): boolean => origin !== undefined;

/** Whether a text says what a button says: all its words or, if it has only one, that word in bold. */
function isSaid(label: string, { content }: Shown, text: string): boolean {
  if (!label.includes(' ')) return content.includes(`**${label}**`);
  return text.toLowerCase().includes(label.replace(/…$/u, '').toLowerCase());
}

describe('replies in a scenario', () => {
  let sandbox: Sandbox;

  function collect(): void {
    const { discord, people } = sandbox;
    for (const guild of discord.everyGuild) {
      for (const role of ROLE_NAMES) {
        const { userId } = people.at({ role, guild, locale });
        const channels = [...discord.channels(guild).map(({ id }) => id), discord.directChannel(userId)];
        const messages = channels.flatMap((channelId) => discord.messages({ channelId, userId }));
        // Entries in the log channel aren't replies.
        const replies = messages.filter((each) => !each.loading && (each.ephemeral || isReply(each.current)));
        for (const { current } of replies) {
          shown.set(JSON.stringify([current.content, current.embeds, current.components]), current);
        }
      }
    }
  }

  beforeAll(async () => {
    sandbox = await openSandbox({ surroundings: process.env });
    const player = createPlayer({ sandbox, read: async () => collect(), onChange: () => undefined });
    for (const { name } of SCENARIOS) {
      player.play(name, locale);
      await vi.waitUntil(() => player.current?.state !== 'playing', { timeout: 60_000 });
      const { state, cause } = player.current ?? {};
      expect({ name, state, cause }).toEqual({ name, state: 'over' });
      collect();
    }
  }, 300_000);
  afterAll(() => sandbox.close());

  it('never contain the same sentence twice', () => {
    expect(shown.size).toBeGreaterThan(30);
    const twice = [...shown.values()].flatMap((message) => {
      const all = sentencesOf(message);
      return all.filter((sentence, index) => all.indexOf(sentence) < index);
    });
    expect(twice).toEqual([]);
  });

  it("don't repeat their button labels in the text", () => {
    const said = [...shown.values()].flatMap((message) => {
      const text = textOf(message);
      return labelsOf(message).filter((label) => isSaid(label, message, text));
    });
    expect(said).toEqual([]);
  });
});

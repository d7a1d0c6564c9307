import { describe, expect, it } from 'vitest';
import {
  pingedRoles,
  pingingText,
  resolveMentions,
} from '../../../../../sandbox/discord/rest/rules/mentions.ts';

const text = 'hi <@111>, <@!222>, <@111>, <@&333>, @everyone';
const nobody = { users: [], roles: [], everyone: false };

describe('rule 44: whom a message pings', () => {
  it('pings users only, each once, when nothing is said', () => {
    expect(resolveMentions(text, undefined)).toEqual({ users: ['111', '222'], roles: [], everyone: false });
  });

  it('pings nobody with an empty list, and everybody with all kinds', () => {
    expect(resolveMentions(text, { parse: [] })).toEqual(nobody);
    expect(resolveMentions(text, {})).toEqual(nobody);
    expect(resolveMentions(text, { parse: ['users', 'roles', 'everyone'] })).toEqual({
      users: ['111', '222'],
      roles: ['333'],
      everyone: true,
    });
  });

  it('pings those listed by id if they are in the text', () => {
    expect(resolveMentions(text, { users: ['222', '999'], roles: ['333'] })).toEqual({
      users: ['222'],
      roles: ['333'],
      everyone: false,
    });
  });

  it('counts @here, and no word that begins like it', () => {
    expect(resolveMentions('@here', { parse: ['everyone'] }).everyone).toBe(true);
    expect(resolveMentions('@hereabouts', { parse: ['everyone'] }).everyone).toBe(false);
  });

  it('pings a role listed by id only where the bot may mention it, and @everyone never as a role', () => {
    const there = { everyoneId: '1', isMentionable: (id: string) => id !== '333' };
    expect(pingedRoles(['1', '222', '333'], { roles: ['1', '222', '333'] }, there)).toEqual(['222']);
  });

  it('counts roles that were not listed, whether or not the bot may mention them', () => {
    const there = { everyoneId: '1', isMentionable: () => false };
    expect(pingedRoles(['333'], { parse: ['roles'] }, there)).toEqual(['333']);
    expect(pingedRoles(['333'], undefined, there)).toEqual(['333']);
  });

  it('reads the content and the text displays, not the embeds', () => {
    const message = {
      content: '',
      embeds: [{ description: '<@1>' }],
      components: [
        { type: 10, content: '<@2>' },
        { type: 17, components: [{ type: 9, components: [{ type: 10, content: '<@3>' }] }] },
      ],
    };
    expect(pingingText(message)).toBe('<@2>\n<@3>');
  });
});

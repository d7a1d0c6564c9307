import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { labelsOf, read, submit } from '../support/lists.ts';
import { messageOf, modalOf, openAppScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;
let held: number;

beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
});
beforeEach(() => {
  held = scene.listing.submitted.length;
});
afterAll(() => scene.close());

const added = () => scene.listing.submitted.slice(held);
const use = (text: string, person = scene.member) =>
  person.useOnMessage('Submit servers', scene.discord.say(scene.admin, text));

const ID = '1000000000000000001';
/** Discord docs: Poll Object. */
const pollAbout = (server: string) => ({
  question: { text: 'Where shall we play?' },
  answers: [
    { answer_id: 1, poll_media: { text: server } },
    { answer_id: 2, poll_media: { text: 'nowhere', emoji: { id: null, name: '💤' } } },
  ],
  expiry: null,
  allow_multiselect: false,
  layout_type: 1,
});

describe('"Submit servers" on a message', () => {
  it('finds addresses in every form, each once, asks for their game and submits them', async () => {
    const preview = await use(
      [
        'Our servers: 93.184.216.34:27015 and ```\nconnect m1.example.com:27016; password hunter2\n```',
        '[click](steam://connect/[2606:4700::1111]:27017/hunter2) or 93.184.216.34:27015, not 10.0.0.3:27015',
      ].join('\n'),
    );
    expect(textOf(preview)).toContain('(only you can see this)');
    expect(textOf(preview)).toContain('3 game servers were found in the message.');
    expect(textOf(preview)).toContain('• 10.0.0.3\n  private address');
    expect(labelsOf(preview)).not.toContain('Submit 3 game servers');
    const chosen = await scene.member.pick(messageOf(preview), ['cs2']);
    expect(textOf(chosen)).toContain('3 game servers are ready to be submitted.');
    const report = await submit(scene.member, chosen);
    expect(read(report)).toContain('✅ 3 sent for review');
    expect(added()).toEqual([
      { server: '93.184.216.34', port: 27015, game: 'cs2' },
      { server: 'm1.example.com', port: 27016, game: 'cs2' },
      { server: '2606:4700::1111', port: 27017, game: 'cs2' },
    ]);
    for (const text of [textOf(preview), textOf(chosen), read(report), scene.output()])
      expect(text).not.toContain('hunter2');
    expect(JSON.stringify(scene.listing.requests)).not.toContain('hunter2');
  });

  it('takes a game that is not in the select by name, as autocomplete finds it, after a restart too', async () => {
    const preview = await use('play at m2.example.com:27015');
    const modal = modalOf(await scene.member.press(messageOf(preview), 'Another game'));
    await scene.restart();
    const several = await scene.member.submit(modal, { game: 'battlefi' });
    const submitted = labelsOf(several).includes('Submit 1 game server')
      ? several
      : await scene.member.pick(messageOf(several), ['bf4']);
    await submit(scene.member, submitted);
    expect(added()).toEqual([{ server: 'm2.example.com', port: 27015, game: 'bf4' }]);
  });

  it('offers those that match when several do, and says when none does', async () => {
    const preview = messageOf(await use('play at m3.example.com:27015'));
    const ask = async (game: string) => {
      const modal = modalOf(await scene.member.press(preview, 'Another game'));
      return scene.member.submit(modal, { game });
    };
    expect(textOf(await ask('qqqqqqqq'))).toContain('“qqqqqqqq” is not a game');
    const several = await ask('counter');
    expect(textOf(several)).toContain('Several games match “counter”.');
    await submit(scene.member, await scene.member.pick(messageOf(several), ['css']));
    expect(added()).toEqual([{ server: 'm3.example.com', port: 27015, game: 'css' }]);
  });

  it('asks for the port that is missing', async () => {
    const preview = await use('steam://connect/m4.example.com');
    const chosen = await scene.member.pick(messageOf(preview), ['cs2']);
    expect(textOf(chosen)).toContain('• m4.example.com\n  no port, usually 27015 (Counter-Strike 2)');
    expect(labelsOf(chosen)).toEqual(['Edit', 'Cancel']);
  });

  it('says when there is nothing in the message', async () => {
    expect(textOf(await use('see you at 8:30 on https://example.com/play'))).toContain(
      'No address of a game server was found',
    );
  });

  it.each<[string, (server: string) => object]>([
    ['a poll', (server) => ({ content: '', poll: pollAbout(server) })],
    [
      'a forwarded poll',
      (server) => ({
        content: '',
        message_reference: { type: 1, channel_id: ID, message_id: ID, guild_id: ID },
        message_snapshots: [{ message: { type: 0, content: '', embeds: [], poll: pollAbout(server) } }],
      }),
    ],
    [
      'a message of an unknown type',
      (server) => ({ type: 250, content: server, components: [{ type: 99 }] }),
    ],
  ])('finds addresses in %s', async (kind, message) => {
    const server = `m6.example.com:${27100 + kind.length}`;
    scene.discord.gateway.disturbDispatch({
      alter: (payload) => {
        const { messages } = Object(payload).data.resolved;
        for (const id of Object.keys(messages)) Object.assign(messages[id], message(server));
        return payload;
      },
    });
    const preview = await use('replaced below');
    scene.discord.gateway.disturbDispatch({});
    await submit(scene.member, await scene.member.pick(messageOf(preview), ['cs2']));
    expect(added().map(({ server, port }) => `${server}:${port}`)).toEqual([server]);
  });

  it('needs the guild’s key', async () => {
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    const id = scene.discord.say(elsewhere, 'm5.example.com:27015');
    expect(textOf(await elsewhere.useOnMessage('Submit servers', id))).toContain('no API key');
  });
});

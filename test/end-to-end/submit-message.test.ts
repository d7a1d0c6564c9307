import { describe, expect } from 'vitest';
import { botTest, modalOf, type TestGuild, textOf } from '../support/bot.ts';
import { labelsOf, pressSubmit, upload } from '../support/people.ts';

const it = botTest();

const use = ({ member, discord }: TestGuild, text: string, person = member) =>
  person.useOnMessage('Submit servers', discord.say(person, text));

describe('the "Submit servers" command', () => {
  it("reads the message's text before the attached file", async ({ guild, member, listing }) => {
    const text = 'Rust: t.example.com:1';
    const file = upload(
      'message.txt',
      `rust f1.example.com:2\nrust t.example.com:1\n${'#'.repeat(5_000)}\nrust f2.example.com:3`,
    );
    const preview = await member.useOnMessage('Submit servers', guild.discord.say(member, text, file));
    await pressSubmit(member, preview);
    expect(listing.submitted.map(({ server }) => server)).toEqual([
      't.example.com',
      'f1.example.com',
      'f2.example.com',
    ]);
    const binary = guild.discord.say(member, '', upload('list.txt', new Uint8Array([1, 0, 2])));
    expect(textOf(await member.useOnMessage('Submit servers', binary))).toContain("This isn't a text file.");
    const picture = guild.discord.say(
      member,
      'p.example.com:1',
      upload('picture.png', new Uint8Array([1, 0, 2])),
    );
    expect(textOf(await member.useOnMessage('Submit servers', picture))).toContain('p.example.com:1');
  });

  it('finds each address once, whatever its format', async ({ bot, guild, member, listing }) => {
    const preview = await use(
      guild,
      [
        'Our servers: 93.184.216.34:27015 ```\nconnect m1.example.com:27016; password hunter2\n```',
        '[click](steam://connect/[2606:4700::1111]:27017/hunter2)\n93.184.216.34:27015\n10.0.0.3:27015',
        'Rust: m2.example.com:28015',
      ].join('\n'),
    );
    expect(textOf(preview)).toContain('(only you can see this)');
    expect(textOf(preview)).toContain('4 lines need fixing:');
    expect(textOf(preview)).toContain('• 10.0.0.3:27015: private address');
    expect(labelsOf(preview)).toContain('Submit 1 game server');
    const chosen = await member.pick(preview, ['cs2']);
    expect(textOf(chosen)).toContain('4 game servers are ready.');
    const report = await pressSubmit(member, chosen);
    expect(textOf(report)).toContain('✅ 4 sent for review');
    expect(listing.submitted).toEqual([
      { server: '93.184.216.34', port: 27015, game: 'cs2' },
      { server: 'm1.example.com', port: 27016, game: 'cs2' },
      { server: '2606:4700::1111', port: 27017, game: 'cs2' },
      { server: 'm2.example.com', port: 28015, game: 'rust' },
    ]);
    const requests = JSON.stringify(listing.requests);
    for (const text of [textOf(preview), textOf(chosen), textOf(report), bot.output(), requests])
      expect(text).not.toContain('hunter2');
  });

  it("accepts the name of a game that isn't in the select menu", async ({ guild, member, listing }) => {
    const preview = await use(guild, 'm3.example.com:27015\nm3.example.com:27016');
    const modal = modalOf(await member.press(preview, 'Type another game'));
    expect(textOf(await member.submit(modal, { game: 'qqqqqqqq' }))).toContain('unknown game qqqqqqqq');
    const again = modalOf(await member.press(preview, 'Type another game'));
    const several = await member.submit(again, { game: 'counter' });
    expect(textOf(several)).toContain('Several games match “counter”.');
    await pressSubmit(member, await member.pick(several, ['css']));
    expect(listing.submitted.map(({ game }) => game)).toEqual(['css', 'css']);
  });

  it('suggests a game that the message might mention', async ({ guild, member, listing }) => {
    const preview = await use(guild, 'Rust nemen: m6.example.com:28015');
    expect(textOf(preview)).toContain('1 game server without a game.');
    expect(labelsOf(preview)).toEqual(['Use Rust', 'Edit', 'Cancel']);
    await pressSubmit(member, await member.press(preview, 'Use Rust'));
    expect(listing.submitted).toEqual([{ server: 'm6.example.com', port: 28015, game: 'rust' }]);
  });

  it('offers a button that adds the default port', async ({ guild, member, listing }) => {
    const chosen = await member.pick(
      await use(guild, 'm4.example.com:27015\nsteam://connect/m5.example.com'),
      ['cs2'],
    );
    expect(textOf(chosen)).toContain('• m5.example.com cs2: no port (default is 27015');
    expect(labelsOf(chosen)).toContain('Use the default port');
    await pressSubmit(member, await member.press(chosen, 'Use the default port'));
    expect(listing.submitted.map(({ port }) => port)).toEqual([27015, 27015]);
  });

  it('reports a missing address or API key', async ({ bot, guild }) => {
    expect(textOf(await use(guild, 'see you at 8:30 on https://example.com/play'))).toContain(
      'No game server address was found',
    );
    const elsewhere = await bot.newGuild();
    const found = textOf(await use(guild, 'm5.example.com:27015', elsewhere.member));
    expect(found).toMatch(
      /no API key.*Ask someone with the “Manage Server” permission.*m5\.example\.com:27015/s,
    );
  });
});

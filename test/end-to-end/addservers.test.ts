import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { csvOf, labelsOf, lines, read, submit, upload } from '../support/lists.ts';
import { messageOf, modalOf, openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

let scene: Scene;
let member: Person;
let held: number;

beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key', env: { MEMBER_LIMIT: '5000/3600' } });
  ({ member } = scene);
});
beforeEach(() => {
  held = scene.listing.submitted.length;
});
afterAll(() => scene.close());

const added = () => scene.listing.submitted.slice(held);
const send = (name: string, content: string | Uint8Array, options: Record<string, string> = {}) =>
  member.slash('addservers', { file: upload(name, content), ...options });

async function paste(text: string, game = ''): Promise<Answer> {
  const modal = modalOf(await member.slash('addservers', game === '' ? {} : { game }));
  return member.submit(modal, { servers: text });
}

const two = (zone: string) => [
  { server: `a.${zone}.net`, port: 27015, game: 'cs2' },
  { server: `b.${zone}.net`, port: 25565, query_port: 25566, game: 'minecraft' },
];

describe('/addservers with a file', () => {
  it.each([
    ['list.txt', '# ours\n\na.txt.net:27015 cs2\nb.txt.net,25565,minecraft,25566\n', two('txt')],
    [
      'list.csv',
      'game;server;query_port;port\r\ncs2;a.csv.net;;27015\r\nMinecraft;b.csv.net;25566;25565\r\n',
      two('csv'),
    ],
    ['LIST.JSON', JSON.stringify(two('json')), two('json')],
  ])('submits what is in %s', async (name, content, expected) => {
    const preview = await send(name, content);
    expect(textOf(preview)).toContain('2 game servers are ready to be submitted.');
    expect(textOf(preview)).toContain('It takes 1 request');
    expect(added()).toEqual([]);
    const report = await submit(member, preview);
    expect(read(report)).toContain('✅ 2 sent for review');
    expect(read(report)).toContain('Servers have been added for review.');
    expect(added()).toEqual(expected);
    expect(csvOf(report, 'report.csv').map(([, server]) => server)).toEqual(
      expected.map(({ server }) => server),
    );
  });

  it('takes `game` for the lines that name none', async () => {
    const preview = await send('a.txt', 'a1.example.com:1\na2.example.com:2 rust', { game: 'tf2' });
    await submit(member, preview);
    expect(added().map(({ game }) => game)).toEqual(['tf2', 'rust']);
  });

  it('says which game is not known, and offers to choose another', async () => {
    const preview = await send('a.txt', 'g1.example.com:1', { game: 'Counter-Stroke 2' });
    expect(textOf(preview)).toContain('“Counter-Stroke 2” is not a game');
    expect(textOf(preview)).toContain('cs2');
    const chosen = await member.pick(messageOf(preview), ['cs2']);
    await submit(member, chosen);
    expect(added()).toEqual([{ server: 'g1.example.com', port: 1, game: 'cs2' }]);
  });

  it('counts the bytes itself, whatever size was claimed', async () => {
    const large = { ...upload('large.txt', '#'.repeat(256 * 1024 + 1)), size: 10 };
    expect(textOf(await member.slash('addservers', { file: large }))).toContain('larger than 256 KiB');
    const small = { ...upload('small.txt', lines(2)), size: 9_000_000 };
    expect(textOf(await member.slash('addservers', { file: small }))).toContain('2 game servers are ready');
  });

  it('looks at what is in it, whatever type was claimed', async () => {
    const picture = {
      ...upload('a.txt', Buffer.from('89504e470d0a1a0a0000000d', 'hex')),
      contentType: 'text/plain',
    };
    expect(textOf(await member.slash('addservers', { file: picture }))).toContain('not a text file');
    const text = { ...upload('b.txt', lines(1)), contentType: 'image/png' };
    expect(textOf(await member.slash('addservers', { file: text }))).toContain('1 game server is ready');
  });

  it.each([
    ['broken.json', '[{"server": "a.example.com",', 'none from line 1, column 29 on', ['Edit']],
    ['empty.txt', '# nothing\n', 'There is no game server in it', ['Edit']],
    ['long.txt', lines(1001), 'There are 1001 game servers in it; 1000 is the most', []],
  ])('says what is wrong with %s', async (name, content, words, labels) => {
    const answer = await send(name, content);
    expect(textOf(answer)).toContain(words);
    expect(labelsOf(answer)).toEqual(labels);
  });

  it('needs a key first', async () => {
    const elsewhere = scene.person({ role: 'member', guild: 1 });
    const answer = await elsewhere.slash('addservers', { file: upload('a.txt', lines(1)) });
    expect(textOf(answer)).toContain('no API key');
  });

  it('submits what the page for members gives as examples', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/members.md'), 'utf8');
    const example = (kind: string) =>
      new RegExp(`^\`\`\`${kind}\\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';
    const person = scene.person({ role: 'member', guild: 1 });
    await setKey(scene.person({ role: 'admin', guild: 1 }), 'sandbox-key');
    for (const [kind, count] of [
      ['csv', 6],
      ['text', 6],
    ] as const) {
      const options = { file: upload('list.txt', example(kind)), game: 'css' };
      const preview = await person.slash('addservers', options);
      expect(textOf(preview)).toContain(`${count} game servers are ready`);
      expect(textOf(preview)).not.toContain('refused');
    }
  });
});

describe('/addservers without a file', () => {
  it('opens a window, and explains each line that cannot be submitted', async () => {
    const preview = await paste(
      [
        '\ufeffm1.example.com:27015 cs2',
        'm2.example.com 27016 rust',
        '',
        'm3.example.com,27017,minecraft,27018',
        'm1.example.com:27015 cs2',
        '“m4.example.com”，27015，cs2',
        'm5.example.com:70000 cs2',
        '192.168.0.4:27015 cs2',
        'm6.example.com:27015 chess',
        'hello there',
      ].join('\r\n'),
    );
    const text = textOf(preview);
    expect(text).toContain('(only you can see this)');
    expect(text).toContain('4 game servers are ready to be submitted.');
    expect(text).toContain('4 lines are refused:');
    expect(text).toContain('line 7: port 70000 is above 65535 (Counter-Strike 2)');
    expect(text).toContain('line 8: private address (Counter-Strike 2)');
    expect(text).toContain('line 9: unknown game chess');
    expect(text).toContain('line 10: no address in it');
    expect(text).toContain('1 line repeats an earlier one and counts once: line 5.');
    expect(csvOf(messageOf(preview), 'rejected.csv').map((row) => row[5])).toContainEqual(
      expect.stringContaining('192.168.0.4 is a private address: it can only be reached inside a home'),
    );
    const report = await submit(member, preview);
    expect(added().map(({ server }) => server)).toEqual([
      'm1.example.com',
      'm2.example.com',
      'm3.example.com',
      'm4.example.com',
    ]);
    expect(
      csvOf(report, 'report.csv').map(([line, server, , , , outcome]) => [line, server, outcome]),
    ).toEqual([
      ['1', 'm1.example.com', 'sent for review'],
      ['2', 'm2.example.com', 'sent for review'],
      ['4', 'm3.example.com', 'sent for review'],
      ['5', 'm1.example.com', 'not sent'],
      ['6', 'm4.example.com', 'sent for review'],
      ['7', 'm5.example.com:70000', 'not sent'],
      ['8', '192.168.0.4:27015', 'not sent'],
      ['9', 'm6.example.com:27015', 'not sent'],
      ['10', 'hello there', 'not sent'],
    ]);
  });

  it('takes the file of rejected lines back once it is corrected', async () => {
    const wrong = Array.from({ length: 15 }, (_, n) => `r${n}.example.com:70000 rust`).join('\n');
    const preview = await paste(wrong);
    expect(textOf(preview)).toContain('• lines 1–\u206015: port 70000 is above 65535 (Rust)');
    expect(labelsOf(preview)).toEqual(['Edit', 'Cancel']);
    const rejected = messageOf(preview).file('rejected.csv')?.toString() ?? '';
    expect(csvOf(messageOf(preview), 'rejected.csv').length).toBe(15);
    await submit(member, await send('rejected.csv', rejected.replaceAll(':70000', ':28015')));
    expect(added().length).toBe(15);
    expect(added()[14]).toEqual({ server: 'r14.example.com', port: 28015, game: 'rust' });
  });

  it('has the game that was given in the window', async () => {
    await submit(member, await paste('w1.example.com:27015', 'rust'));
    expect(added()).toEqual([{ server: 'w1.example.com', port: 27015, game: 'rust' }]);
  });

  it('completes the game', async () => {
    expect(await member.complete('addservers', 'game', { game: 'minec' })).toContainEqual({
      name: 'Minecraft (minecraft)',
      value: 'minecraft',
    });
  });

  it('drops passwords, and neither shows nor sends nor logs them', async () => {
    const preview = await paste(
      'connect p1.example.com:27015; password hunter2\nsteam://connect/p2.example.com:70000/hunter2',
      'cs2',
    );
    const report = await submit(member, preview);
    expect(added()).toEqual([{ server: 'p1.example.com', port: 27015, game: 'cs2' }]);
    for (const text of [
      textOf(preview),
      read(report),
      scene.output(),
      JSON.stringify(scene.listing.requests),
    ])
      expect(text).not.toContain('hunter2');
    expect(scene.discord.findSecret('hunter2').filter(({ method }) => method !== 'GATEWAY')).toEqual([]);
  });

  it('speaks German to who does', async () => {
    const german = scene.person({ locale: 'de' });
    const modal = modalOf(await german.slash('addservers'));
    const preview = await german.submit(modal, { servers: 'd1.example.com:70000 cs2\nd2.example.com:1 cs2' });
    expect(textOf(preview)).toContain('Zeile 1: Port 70000 liegt über 65535');
    expect(read(await submit(german, preview))).toContain('✅ 1 zur Prüfung gesendet');
  });
});

describe('the preview', () => {
  it('is submitted once, however often the button is pressed', async () => {
    const preview = await paste('once.example.com:27015 cs2');
    const press = () => member.press(messageOf(preview), 'Submit 1 game server');
    const answers = await Promise.all([press(), press(), press()]);
    expect(answers.length).toBe(3);
    await expect.poll(() => read(messageOf(preview))).toContain('1 sent for review');
    expect(added().length).toBe(1);
  });

  it('can be cancelled', async () => {
    const preview = await paste('never.example.com:27015 cs2');
    expect(textOf(await member.press(messageOf(preview), 'Cancel'))).toContain('Nothing was submitted.');
    expect(messageOf(preview).current?.attachments).toEqual([]);
    expect(added()).toEqual([]);
  });

  it('outlives a restart', async () => {
    const preview = await paste('kept.example.com:27015 cs2\nkept.example.com:70000 cs2');
    await scene.restart();
    const report = await submit(member, preview);
    expect(read(report)).toContain('✅ 1 sent for review');
    expect(csvOf(report, 'report.csv').length).toBe(2);
    expect(added()).toEqual([{ server: 'kept.example.com', port: 27015, game: 'cs2' }]);
  });

  it('names what was submitted before, and leaves it out unless it is to be included', async () => {
    const list = 'f1.example.com:27015 cs2\nf2.example.com:27015 cs2\nf3.example.com:27015 cs2';
    await submit(member, await paste('f2.example.com:27015 cs2'));
    const preview = await paste(list);
    expect(textOf(preview)).toContain('2 game servers are ready');
    expect(textOf(preview)).toMatch(/• f2\.example\.com:27015\n {2}sent for review .* by you/);
    expect(labelsOf(preview)).toEqual(['Submit 2 game servers', 'Include the 1 submitted before', 'Cancel']);
    const included = await member.press(messageOf(preview), 'Include the 1 submitted before');
    expect(labelsOf(included)).toContain('Submit 3 game servers');
    const without = await member.press(messageOf(included), 'Leave out the 1 submitted before');
    const report = await submit(member, without);
    expect(added().map(({ server }) => server)).toEqual([
      'f2.example.com',
      'f1.example.com',
      'f3.example.com',
    ]);
    expect(csvOf(report, 'report.csv').map((row) => row[5])).toEqual([
      'sent for review',
      'not sent',
      'sent for review',
    ]);
  });
});

describe('a thousand servers with the longest names', () => {
  const longest = (n: number) =>
    [`n${n}`.padEnd(63, 'a'), 'b'.repeat(63), 'c'.repeat(63), 'd'.repeat(57), 'com'].join('.');

  it('fit into the messages and files of Discord', async () => {
    expect(longest(0).length).toBe(253);
    const content = Array.from({ length: 1000 }, (_, n) => `${longest(n)}:9`).join('\n');
    const preview = await send('long.txt', content, { game: 'cs2' });
    expect(textOf(preview)).toContain('It takes 10 requests');
    const report = await submit(member, preview);
    expect(read(report)).toContain('✅ 1000 sent for review');
    expect(added().map(({ server }) => server)).toEqual(Array.from({ length: 1000 }, (_, n) => longest(n)));
    expect(csvOf(report, 'report.csv').length).toBe(1000);
    const again = await send('long.txt', content, { game: 'cs2' });
    expect(textOf(again)).toContain('1000 game servers were submitted from here before');
  });

  it('fit when none of them is right, and the file of rejected lines can be sent again', async () => {
    const content = Array.from({ length: 1000 }, (_, n) => `${longest(n)}:0`).join('\n');
    const preview = await send('wrong.txt', content, { game: 'cs2' });
    const files = messageOf(preview).current?.attachments.map(({ filename }) => filename) ?? [];
    expect(files).toEqual(['rejected.csv', 'rejected-2.csv']);
    for (const name of files) {
      const file = messageOf(preview).file(name)?.toString() ?? '';
      const again = await send(name, file.replaceAll(':0"', ':27016"'), { game: 'cs2' });
      expect(textOf(again)).toContain('500 game servers are ready');
    }
  });
});

it('the key is asked for again at Submit', async () => {
  const admin = scene.person({ role: 'admin', guild: 1 });
  await setKey(admin, 'sandbox-key');
  const preview = await admin.slash('addservers', { file: upload('a.txt', lines(1)) });
  const remove = messageOf(await admin.slash('removekey'));
  const [yes = ''] = labelsOf({ kind: 'message', message: remove });
  await admin.press(remove, yes);
  const answer = await admin.press(messageOf(preview), 'Submit 1 game server');
  expect(textOf(answer)).toContain('no API key');
  expect(labelsOf(preview)).toContain('Submit 1 game server');
  expect(added()).toEqual([]);
});

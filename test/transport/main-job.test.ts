import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { startListing } from '../../sandbox/listing/stand-in.ts';
import { selfSigned } from '../../sandbox/loopback-server.ts';
import { csvOf, lines, read, submit, upload } from '../support/lists.ts';
import { messageOf, openScene, type Scene, setKey, textOf } from '../support/scene.ts';

const KEY = 'sandbox-key';

describe('over TLS, with HTTP/2 on offer and the headers of a CDN', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ tls: true });
  });
  afterEach(() => {
    const requests = [...scene.discord.requests, ...scene.listing.requests];
    expect([...new Set(requests.map(({ httpVersion }) => httpVersion))]).toEqual(['1.1']);
  });
  afterAll(() => scene.close());

  it('the bot logs in and publishes its commands', () => {
    expect(scene.discord.apiUrl).toMatch(/^https:/);
    expect(scene.listing.url).toMatch(/^https:/);
    expect(scene.discord.commands().map(({ name }) => name)).toContain('addserver');
  });

  it('a key is set, games are listed and a server is submitted', async () => {
    expect(textOf(await setKey(scene.admin, KEY))).toContain('works and is saved');
    const games = await scene.member.slash('games');
    expect(textOf(games)).toContain('From the listing service, read');
    expect(textOf(await scene.member.press(messageOf(games), 'Next'))).toMatch(/Page 2 of \d/);
    expect(await scene.member.complete('addserver', 'game', { game: 'minec' })).toContainEqual({
      name: 'Minecraft (minecraft)',
      value: 'minecraft',
    });
    const said = await scene.member.slash('addserver', { game: 'cs2', server: 'tls.example.com:27015' });
    expect(textOf(said)).toContain('Servers have been added for review.');
    expect(scene.listing.submitted).toEqual([{ server: 'tls.example.com', port: 27015, game: 'cs2' }]);
  });

  it('an uploaded file is read, and its report comes as a file', async () => {
    const held = scene.listing.submitted.length;
    const file = upload('list.txt', `${lines(150)}\nwrong.example.com:70000 cs2`);
    const report = await submit(scene.member, await scene.member.slash('addservers', { file }));
    expect(read(report)).toContain('✅ 150 sent for review');
    expect(scene.listing.submitted.slice(held).length).toBe(150);
    expect(csvOf(report, 'report.csv').length).toBe(151);
    const downloads = scene.discord.requests.filter(({ path }) => path.startsWith('/ephemeral-attachments/'));
    expect(downloads).toMatchObject([{ method: 'GET', status: 200, httpVersion: '1.1' }]);
  });

  it('servers are submitted from a message', async () => {
    const held = scene.listing.submitted.length;
    const id = scene.discord.say(scene.admin, 'play at message.example.com:27015');
    const preview = await scene.member.useOnMessage('Submit servers', id);
    const chosen = await scene.member.pick(messageOf(preview), ['cs2']);
    expect(read(await submit(scene.member, chosen))).toContain('✅ 1 sent for review');
    expect(scene.listing.submitted.slice(held)).toMatchObject([{ server: 'message.example.com' }]);
  });

  it('a redirect of the listing service is not followed, so that the key goes to nobody else', async () => {
    const elsewhere = await startListing({ certificate: selfSigned(), keys: [KEY] });
    await scene.listing.behave({ kind: 'redirect', status: 308, to: `${elsewhere.url}/api` }, 1);
    const held = scene.listing.submitted.length;
    const said = await scene.member.slash('addserver', { game: 'cs2', server: 'moved.example.com:27015' });
    expect(textOf(said)).not.toContain('Servers have been added for review.');
    expect(scene.output()).toContain('the listing service has moved');
    expect(elsewhere.requests).toEqual([]);
    expect(scene.listing.submitted.length).toBe(held);
    await elsewhere.close();
  });
});

describe('the stand-ins', () => {
  const certificate = selfSigned();

  /** One request over HTTP/2. */
  async function ask(url: string, headers: Record<string, string>, body = '') {
    const session = connect(url, { ca: certificate.cert });
    const stream = session.request({ ':path': new URL(url).pathname, ...headers });
    if (!stream.writableEnded) stream.end(body);
    const [answered] = await once(stream, 'response');
    const chunks = await stream.toArray();
    session.close();
    return { headers: answered, bytes: Buffer.concat(chunks), alpn: session.alpnProtocol };
  }

  it('answer over HTTP/2 who takes it', async () => {
    const discord = await startDiscord({ certificate, token: 'aaa.bbb.ccc' });
    const { headers, bytes, alpn } = await ask(`${discord.apiUrl}/v10/gateway`, {
      'user-agent': 'DiscordBot (x, 1)',
    });
    expect(alpn).toBe('h2');
    expect(headers[':status']).toBe(200);
    expect(headers['set-cookie']).toHaveLength(3);
    expect(JSON.parse(String(bytes)).url).toBe(discord.apiUrl.replace(/^https(.*)\/api$/, 'wss$1'));
    expect(discord.requests).toMatchObject([{ httpVersion: '2.0' }]);
    await discord.close();
  });

  it('compress what the listing service says for who accepts it', async () => {
    const listing = await startListing({ certificate, keys: [KEY] });
    const form = 'action=games&api_key=wrong';
    const post = { ':method': 'POST', 'content-type': 'application/x-www-form-urlencoded' };
    const plain = await ask(`${listing.url}/api`, { ...post, 'accept-encoding': 'identity' }, form);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const packed = await ask(`${listing.url}/api`, { ...post, 'accept-encoding': 'br;q=1, gzip' }, form);
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.bytes.subarray(0, 2).toString('hex')).toBe('1f8b');
    await listing.close();
  });
});

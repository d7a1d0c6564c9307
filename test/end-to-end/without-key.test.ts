import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { csvOf, labelsOf, read, submit, upload } from '../support/lists.ts';
import {
  inNewGuild,
  messageOf,
  modalOf,
  openAppScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';

const KEY = 'sandbox-key';

let shared: Scene;
beforeAll(async () => {
  shared = await openAppScene();
});
afterAll(() => shared.close());

const LIST = 'a.example.com:27015 cs2\n10.0.0.1:27015 cs2';
const pasted = async (person: Person, servers: string) =>
  person.submit(modalOf(await person.slash('addservers')), { servers });
const asFile = (person: Person, servers: string) =>
  person.slash('addservers', { file: upload('list.txt', servers) });
describe.each([
  {
    locale: 'en-US',
    says: {
      member: /^⚠️ Not sent\. .*has no API key.*Ask an admin: whoever has the permission “Manage Server” can/,
      admin: /^⚠️ Not sent\. .*has no API key for the listing service\. Set one with <\/setkey:\d+>\./,
      askAdmin: /Ask an admin/,
      report: '2 sent for review',
    },
    labels: {
      enter: 'Enter the API key',
      send: 'Send again',
      edit: 'Edit',
      submit: 'Submit 1 game server',
    },
  },
  {
    locale: 'de',
    says: {
      member: /^⚠️ Nicht gesendet\. .*keinen API-Schlüssel.*Bitte einen Admin darum: Wer die Berechtigung/,
      admin:
        /^⚠️ Nicht gesendet\. .*keinen API-Schlüssel für den Listendienst\. Setze einen mit <\/setkey:\d+>\./,
      askAdmin: /Bitte einen Admin/,
      report: '2 zur Prüfung gesendet',
    },
    labels: {
      enter: 'API-Schlüssel eingeben',
      send: 'Erneut senden',
      edit: 'Bearbeiten',
      submit: '1 Spielserver absenden',
    },
  },
])('without a key ($locale)', ({ locale, says, labels }) => {
  it('an admin enters the key with a press, and sends with another one what was typed', async () => {
    const own = await inNewGuild(shared);
    const admin = own.person({ role: 'admin', locale });
    const answer = await admin.slash('addserver', { game: 'cs2', server: 'a.example.com:1' });
    const message = messageOf(answer);
    expect(message.current?.content).toMatch(says.admin);
    expect(message.current?.content).not.toMatch(says.askAdmin);
    expect(labelsOf(answer)).toEqual([labels.enter, labels.send, labels.edit]);
    const modal = modalOf(await admin.press(message, labels.enter));
    expect(textOf(await admin.submit(modal, { key: KEY }))).toContain('/addserver');
    await admin.press(message, labels.send);
    await expect.poll(() => message.current?.content).toMatch(/^✅/);
  });

  it.each([
    ['pasted', pasted],
    ['a file', asFile],
  ])('a list (%s) is kept, shown and corrected, and sent with the key', async (_how, send) => {
    const own = await inNewGuild(shared);
    const [member, admin] = [own.person({ locale }), own.person({ role: 'admin', locale })];
    const forAdmin = await send(admin, LIST);
    expect(messageOf(forAdmin).current?.content).toMatch(says.admin);
    expect(labelsOf(forAdmin)[0]).toBe(labels.enter);

    const preview = await send(member, LIST);
    const message = messageOf(preview);
    expect(message.current?.content).toMatch(says.member);
    expect(labelsOf(preview)).not.toContain(labels.enter);
    expect(csvOf(message, 'preview.csv')).toHaveLength(1);
    // Without a key nothing goes, and nothing of the list is lost.
    await member.press(message, labels.submit);
    await expect.poll(() => message.current?.content).toMatch(says.member);
    const window = modalOf(await member.press(message, labels.edit));
    expect(modalFields(window.data)[0]?.value).toBe('2. 10.0.0.1:27015 cs2');
    await member.submit(window, { servers: '2. b.example.com:27015 rust' });
    await expect.poll(() => csvOf(message, 'preview.csv').length).toBe(2);
    expect(message.current?.content).toMatch(says.member);
    await setKey(own.admin, KEY);
    expect(read(await submit(member, { kind: 'message', message }))).toContain(says.report);
  });

  it('what a message names is kept too', async () => {
    const own = await inNewGuild(shared);
    const member = own.person({ locale });
    const found = messageOf(
      await member.useOnMessage('Submit servers', own.discord.say(member, 'c.example.com:27015')),
    );
    expect(found.current?.content).toMatch(says.member);
    expect(found.current?.content).toContain('c.example.com:27015');
  });
});

it('a key that the service refuses loses no list either, and says who set it', async () => {
  shared.listing.allow('dying-key');
  const own = await inNewGuild(shared, { key: 'dying-key' });
  shared.listing.revoke('dying-key');
  await own.member.slash('addserver', { game: 'cs2', server: 'a.example.com:1' });
  const preview = await pasted(own.member, LIST);
  const message = messageOf(preview);
  expect(message.current?.content).toMatch(
    /^⚠️ Not sent: .* refuses the API key.*Ask an admin to renew the key.*It was set by <@\d+>\./,
  );
  await setKey(own.admin, KEY);
  expect(read(await submit(own.member, { kind: 'message', message }))).toContain('1 sent for review');
});

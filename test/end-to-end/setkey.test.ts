import { describe, expect } from 'vitest';
import { modalTexts } from '../../sandbox/discord/client/modal-form.ts';
import { ROLES } from '../../sandbox/people.ts';
import { botTest, messageOf, modalOf, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, labelsOf, logMessages, openModal, removeKey } from '../support/people.ts';

const it = botTest({ key: null, listing: { keys: ['sandbox-key', 'second-key-1234', 'k'] } });

/** Submits a server, and returns the key that the request contained. */
async function keyInUse({ member, listing }: TestGuild): Promise<string | undefined> {
  const answer = await addServer(member, `s${listing.requests.length}.example.com:1`);
  return textOf(answer).includes(ACCEPTED) ? listing.requests.at(-1)?.key : undefined;
}

/** Shown to an admin whose key wasn't saved, because the other admin set a key in the meantime. */
const CHANGED =
  /⚠️ Not saved\. The API key was set or removed in the meantime\..*✅ API key: .*…1234.*Set by @other admin/s;

const otherAdmin = (guild: TestGuild) =>
  guild.discord.person({ guild, name: 'other admin', permissions: ROLES.admin.permissions });

describe('/setkey', () => {
  it('asks for the key in a modal instead of a command option', async ({ admin }) => {
    const { data } = modalOf(await admin.slash('setkey'));
    expect(data.title).toBe('API key for this Discord server');
    expect(modalTexts(data)).toEqual([expect.stringContaining("The bot's operator can read it")]);
    expect(admin.commands().find(({ name }) => name === 'setkey')?.options ?? []).toEqual([]);
  });

  it("doesn't store a key that the service rejects", async ({ guild, admin, member }) => {
    const refused = await setKey(admin, 'wrong-key');
    expect(textOf(refused)).toContain('(only you can see this)');
    expect(textOf(refused)).toMatch(/Invalid API key\..*Copy the whole API key/s);
    expect(await keyInUse(guild)).toBeUndefined();
    const { modal } = await openModal(admin, refused, 'Enter an API key');
    expect(textOf(await admin.submit(modal, { key: '  sandbox-key ' }))).toContain(
      'works and has been saved',
    );
    // A short key is hidden completely.
    expect(messageOf(refused).current?.content).toMatch(/^✅ The API key works and has been saved/);
    expect(textOf(await admin.slash('removekey'))).toMatch(/Remove the API key\?/);
    expect(labelsOf(refused)).toEqual([]);
    expect(await keyInUse(guild)).toBe('sandbox-key');
    expect(textOf(await member.slash('games'))).toContain('From the listing service');
  });

  it.for([
    'Bearer sandbox-key',
    '"sandbox-key"',
    'Authorization: Bearer `sandbox-key`',
    '“Bearer sandbox-key” ',
  ])('extracts the key from %s', async (typed, { guild, admin }) => {
    expect(textOf(await setKey(admin, typed))).toContain('works and has been saved');
    expect(await keyInUse(guild)).toBe('sandbox-key');
  });

  it('shows the last characters of the key being replaced', async ({ admin }) => {
    const about = async () => modalTexts(modalOf(await admin.slash('setkey')).data).join();
    expect(await about()).not.toContain('replaces');
    await setKey(admin, 'second-key-1234');
    expect(await about()).toContain('The new key replaces the API key `…1234` as soon as');
    await setKey(admin, 'sandbox-key');
    expect(await about()).toContain('The new key replaces the API key as soon as');
  });

  it('rejects a key that consists only of spaces', async ({ admin }) => {
    const empty = await setKey(admin, '   ');
    expect(textOf(empty)).toContain("You didn't enter an API key");
    expect(labelsOf(empty)).toEqual(['Enter an API key']);
  });

  it("doesn't save an untested key while the service is down", async ({ guild, admin, listing }) => {
    await listing.behave({ kind: 'down' });
    const down = await setKey(admin, 'sandbox-key');
    expect(textOf(down)).toMatch(/Not saved\. .*couldn't be reached.*it may still be valid/s);
    const { modal, typed } = await openModal(admin, down, 'Enter an API key');
    expect(typed).toEqual({ key: '' });
    await listing.behave({ kind: 'ok' });
    expect(await keyInUse(guild)).toBeUndefined();
    expect(textOf(await admin.submit(modal, { key: 'sandbox-key' }))).toContain('works and has been saved');
  });

  it("doesn't blame the key for a rate limit", async ({ admin, listing }) => {
    const body = { status: 'error', message: 'Slow down.' };
    await listing.behave({ kind: 'json', status: 429, body });
    const limited = textOf(await setKey(admin, 'sandbox-key'));
    expect(limited).toMatch(/Not saved\. .*Slow down\..*it may still be valid/s);
    expect(limited).not.toContain('Copy');
  });

  it('replaces a paused key with a new one', async ({ guild, admin, member, listing }) => {
    await setKey(admin, 'sandbox-key');
    await listing.behave({ kind: 'status', status: 429, retryAfter: 600 });
    await addServer(member, 'limited.example.com:1');
    await listing.behave({ kind: 'ok' });
    expect(await keyInUse(guild)).toBeUndefined();
    expect(textOf(await setKey(admin, 'second-key-1234'))).toMatch(/…1234 works and has been saved/);
    expect(await keyInUse(guild)).toBe('second-key-1234');
    expect(textOf(await setKey(admin, 'sandbox-key'))).toContain('The previous API key is still in use.');
  });

  it('keeps the previous key unless the new one works', async ({ guild, admin, listing }) => {
    await setKey(admin, 'sandbox-key');
    expect(textOf(await setKey(admin, 'wrong-key'))).toContain('The previous API key is still in use.');
    await listing.behave({ kind: 'html' });
    expect(textOf(await setKey(admin, 'second-key-1234'))).toContain('The previous API key is still in use.');
    await listing.behave({ kind: 'ok' });
    expect(await keyInUse(guild)).toBe('sandbox-key');
    expect(textOf(await setKey(admin, 'second-key-1234'))).toMatch(/…1234 works and has been saved/);
    expect(await keyInUse(guild)).toBe('second-key-1234');
  });

  it('saves only one of two keys tested at the same time', async ({ guild, admin, listing }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = listing.requests.length;
    await listing.behave({ kind: 'held', until: promise });
    const slow = setKey(admin, 'sandbox-key');
    await expect.poll(() => listing.requests.length).toBe(before + 1);
    await listing.behave({ kind: 'ok' });
    expect(textOf(await setKey(otherAdmin(guild), 'second-key-1234'))).toContain('has been saved');
    resolve();
    expect(textOf(await slow)).toMatch(CHANGED);
    expect(await keyInUse(guild)).toBe('second-key-1234');
  });

  it("doesn't replace a key that was set after the form was opened", async ({ guild, admin, listing }) => {
    const old = modalOf(await admin.slash('setkey'));
    await setKey(otherAdmin(guild), 'second-key-1234');
    const before = listing.requests.length;
    const refused = await admin.submit(old, { key: 'sandbox-key' });
    expect(textOf(refused)).toMatch(CHANGED);
    expect(listing.requests.length).toBe(before);
    const { modal } = await openModal(admin, refused, 'Enter an API key');
    expect(modalTexts(modal.data).join()).toContain('replaces the API key `…1234`');
    await removeKey(otherAdmin(guild));
    const removed = await admin.submit(modal, { key: 'sandbox-key' });
    expect(textOf(removed)).toMatch(/Not saved\. The API key was set or removed .*⚠️ API key: none/s);
    const again = await openModal(admin, removed, 'Enter an API key');
    expect(textOf(await admin.submit(again.modal, { key: 'sandbox-key' }))).toContain('has been saved');
    expect(await keyInUse(guild)).toBe('sandbox-key');
  });

  it('asks for a log channel after the first key is set', async ({ guild, admin }) => {
    const saved = await setKey(admin, 'sandbox-key');
    expect(textOf(saved)).toMatch(
      /✅ API key: .*➖ Log channel: none.*➖ Role for key problems: none.*Who can submit: everyone.*Choose one that only your team can read\. .*with \/panel\./s,
    );
    expect(textOf(await admin.pick(saved, ['#staff']))).toMatch(
      /✅ Log channel: #.*Nobody is mentioned yet/s,
    );
    expect(logMessages(guild)).toHaveLength(1);
    expect(textOf(await setKey(admin, 'second-key-1234'))).not.toContain('log channel');
    await removeKey(admin);
    expect(textOf(await setKey(admin, 'sandbox-key'))).not.toContain('log channel');
  });

  it('limits each admin to five key tests per minute', async ({ guild, admin, listing }) => {
    const before = listing.requests.length;
    for (const key of ['wrong-key', 'wrong-key', 'sandbox-key']) await setKey(admin, key);
    const status = await admin.slash('keystatus');
    for (let n = 0; n < 2; n += 1) await admin.press(status, 'Check now');
    expect(textOf(status)).toContain('The key works.');

    const tooSoon = /wasn't checked\. You can try again from <t:\d+:t>/;
    expect(messageOf(await setKey(admin, 'guess')).current?.content).toMatch(tooSoon);
    await admin.press(status, 'Check now');
    expect(messageOf(status).current?.content).toMatch(tooSoon);
    expect(labelsOf(status)).toContain('Check now');
    expect(listing.requests.length - before).toBe(5);
    expect(textOf(await setKey(otherAdmin(guild), 'second-key-1234'))).toContain('has been saved');
  });
});

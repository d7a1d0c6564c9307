import { EmbedBuilder } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { checkMessage, type MessageSituation } from '../../../../../sandbox/discord/rest/rules/messages.ts';
import { expectFlaw, messageAt } from './refused.ts';

const text = (length: number, letter = 'a') => letter.repeat(length);
const send = (body: unknown, extra: Partial<MessageSituation> = {}) =>
  checkMessage(body, { for: 'callback', ...extra });
const edit = (body: unknown, extra: Partial<MessageSituation> = {}) =>
  checkMessage(body, { for: 'edit', ...extra });
const empty = { rule: 32, status: 400, code: 50006, message: 'Cannot send an empty message' };
const file = (id: number, size = 100, filename = `f${id}.txt`) => ({ id: String(id), filename, size });

describe('rule 7: unknown fields', () => {
  it('ignores what discord.js adds', () => {
    expect(
      send({ content: 'x', tts: false, enforce_nonce: false, nonce: '1', anything: {} }),
    ).toBeUndefined();
  });
});

describe('rule 32: content', () => {
  it('accepts 2000 code points and refuses 2001, under `data` in a callback', () => {
    expect(send({ content: text(2000) })).toBeUndefined();
    expect(send({ content: text(2000, '🎮') })).toBeUndefined();
    const refusal = send({ content: text(2001) }, { at: ['data'] });
    expectFlaw(refusal, 32, 'data.content', 'BASE_TYPE_MAX_LENGTH');
    expect(messageAt(refusal, 'data', 'content')).toBe('Must be 2000 or fewer in length.');
    expectFlaw(send({ content: 5 }), 32, 'content', 'STRING_TYPE_CONVERT');
  });

  it.each([
    {},
    { content: '' },
    { content: ' \n' },
    { embeds: [] },
    { embeds: [{}] },
    { embeds: [{ color: 1 }] },
  ])('refuses the empty message %j', (body) => {
    expect(send(body)).toMatchObject(empty);
    expect(send(body, { for: 'followup' })).toMatchObject(empty);
  });

  it('accepts a message of an embed, a button or a file alone', () => {
    const row = { type: 1, components: [{ type: 2, style: 1, custom_id: 'a', label: 'A' }] };
    expect(send({ embeds: [{ title: 'x' }] })).toBeUndefined();
    expect(send({ components: [row] })).toBeUndefined();
    expect(send({}, { files: [file(0)] })).toBeUndefined();
  });
});

describe('rule 33: embeds', () => {
  const embeds = (...list: object[]) => send({ embeds: list });
  const field = (name: string, value: string) => ({ title: 't', fields: [{ name, value }] });

  it('accepts an embed of the builder at every limit', () => {
    const embed = new EmbedBuilder()
      .setTitle(text(256))
      .setURL('https://example.com/')
      .setTimestamp()
      .setColor(0xffffff)
      .setAuthor({ name: text(256) })
      .setFooter({ text: text(2048) })
      .addFields({ name: text(256), value: text(1024) });
    expect(embeds(embed.toJSON())).toBeUndefined();
    expect(embeds({ description: text(4096) })).toBeUndefined();
    expect(embeds({ title: 't', timestamp: '2026-01-02T03:04:05+01:00' })).toBeUndefined();
  });

  it.each([
    ['title', { title: text(257) }],
    ['description', { description: text(4097) }],
    ['footer.text', { footer: { text: text(2049) } }],
    ['author.name', { author: { name: text(257) } }],
    ['fields.0.name', field(text(257), 'v')],
    ['fields.0.value', field('n', text(1025))],
    ['fields', { fields: Array.from({ length: 26 }, () => ({ name: 'n', value: 'v' })) }],
  ])('refuses one more in %s', (path, embed) => {
    expectFlaw(embeds(embed), 33, `embeds.0.${path}`, 'BASE_TYPE_MAX_LENGTH');
  });

  it('measures after trimming and refuses fields that are empty then', () => {
    expect(embeds({ title: ` ${text(256)} ` })).toBeUndefined();
    // The builder lets both through.
    const blank = new EmbedBuilder().addFields({ name: ' ', value: '' }).toJSON();
    expectFlaw(embeds(blank), 33, 'embeds.0.fields.0.name', 'BASE_TYPE_REQUIRED');
    expectFlaw(embeds(blank), 33, 'embeds.0.fields.0.value', 'BASE_TYPE_REQUIRED');
    expectFlaw(embeds({ fields: [{ name: 'n' }] }), 33, 'embeds.0.fields.0.value', 'BASE_TYPE_REQUIRED');
    expectFlaw(embeds({ title: 't', footer: {} }), 33, 'embeds.0.footer.text', 'BASE_TYPE_REQUIRED');
  });

  it('accepts 6000 characters over all embeds and refuses 6001', () => {
    const half = new EmbedBuilder().setDescription(text(3000)).toJSON();
    expect(embeds(half, half)).toBeUndefined();
    expect(embeds(half, { description: ` ${text(3000)} ` })).toBeUndefined();
    const refusal = embeds(half, half, { title: 'x' });
    expectFlaw(refusal, 33, 'embeds', 'MAX_EMBED_SIZE_EXCEEDED');
    expect(messageAt(refusal, 'embeds')).toBe('Embed size exceeds maximum size of 6000');
  });

  it('accepts ten embeds and refuses eleven', () => {
    const many = Array.from({ length: 11 }, () => ({ title: 'x' }));
    expect(embeds(...many.slice(1))).toBeUndefined();
    const refusal = embeds(...many);
    expectFlaw(refusal, 33, 'embeds', 'BASE_TYPE_MAX_LENGTH');
    expect(messageAt(refusal, 'embeds')).toBe('Must be 10 or fewer in length.');
  });

  it('refuses addresses that are none, of another scheme or without a dot', () => {
    const url = (value: string) => embeds({ title: 't', url: value });
    expectFlaw(url('nowhere'), 33, 'embeds.0.url', 'URL_TYPE_INVALID_URL');
    expectFlaw(url('steam://run/730'), 33, 'embeds.0.url', 'URL_TYPE_INVALID_SCHEME');
    expectFlaw(url('http://localhost:3000/'), 33, 'embeds.0.url', 'URL_TYPE_INVALID_URL');
    expect(url('http://127.0.0.1:3000/')).toBeUndefined();
    expect(embeds({ image: { url: 'attachment://a.png' } })).toBeUndefined();
    expectFlaw(embeds({ title: 't', color: 0x1000000 }), 33, 'embeds.0.color', 'NUMBER_TYPE_MAX');
    expectFlaw(embeds({ title: 't', timestamp: 'now' }), 33, 'embeds.0.timestamp', 'DATE_TIME_TYPE_PARSE');
  });
});

describe('rule 5: files', () => {
  it('refuses an attachment id that no file has, or twice', () => {
    const files = [file(0)];
    expect(
      send({ attachments: [{ id: '0', title: null, waveform: null, duration_secs: null }] }, { files }),
    ).toBeUndefined();
    expect(send({ attachments: [{ id: 0 }] }, { files })).toBeUndefined();
    const code = 'MESSAGE_ATTACHMENT_NOT_FOUND';
    expectFlaw(send({ attachments: [{ id: '1' }] }, { files }), 5, 'attachments.0.id', code);
    expectFlaw(send({ attachments: [{ id: '0' }, { id: '0' }] }, { files }), 5, 'attachments.1.id', code);
    expectFlaw(
      send({ content: 'x', attachments: [{ id: 'x' }] }),
      5,
      'attachments.0.id',
      'NUMBER_TYPE_COERCE',
    );
    const alt = [{ id: '0', description: text(1025) }];
    expectFlaw(send({ attachments: alt }, { files }), 5, 'attachments.0.description', 'BASE_TYPE_MAX_LENGTH');
  });

  it('accepts ten files and refuses eleven, kept ones included', () => {
    const eleven = Array.from({ length: 11 }, (_, i) => file(i));
    expect(send({}, { files: eleven.slice(1) })).toBeUndefined();
    expectFlaw(send({}, { files: eleven }), 5, 'attachments', 'BASE_TYPE_MAX_LENGTH');
    const current = { attachments: [{ id: '777777777777777777', filename: 'old.txt' }] };
    expectFlaw(edit({}, { files: eleven.slice(1), current }), 5, 'attachments', 'BASE_TYPE_MAX_LENGTH');
    expect(edit({ attachments: [] }, { files: eleven.slice(1), current })).toBeUndefined();
  });

  it('takes the size limit for each file, not for all', () => {
    expect(send({}, { files: [file(0, 10), file(1, 10)], attachmentSizeLimit: 10 })).toBeUndefined();
    const refusal = { rule: 5, status: 413, code: 40005, message: 'Request entity too large' };
    expect(send({}, { files: [file(0, 11)], attachmentSizeLimit: 10 })).toEqual(refusal);
    expect(send({}, { files: [file(0, 10_485_761)] })).toEqual(refusal);
  });
});

describe('rule 30: flags of a new message', () => {
  it('accepts those that can be set and refuses the others', () => {
    for (const flags of [0, 4, 64, 4096, 68]) expect(send({ content: 'x', flags })).toBeUndefined();
    for (const flags of [1, 128, 64 | 128])
      expectFlaw(send({ content: 'x', flags }), 30, 'flags', 'BASE_TYPE_CHOICES');
    expectFlaw(send({ content: 'x', flags: 8192 }, { for: 'followup' }), 30, 'flags', 'BASE_TYPE_CHOICES');
    expectFlaw(send({ content: 'x', flags: '64' }), 30, 'flags', 'NUMBER_TYPE_COERCE');
  });
});

describe('rules 41 and 42: edits', () => {
  const V2 = 32768;
  const display = { type: 10, content: 'hello' };

  it('merges with what is there before it asks whether anything is left', () => {
    expect(edit({}, { current: { content: 'x' } })).toBeUndefined();
    expect(edit({ content: '' }, { current: { content: 'x' } })).toMatchObject(empty);
    expect(edit({ content: null, embeds: [{ title: 'x' }] }, { current: { content: 'x' } })).toBeUndefined();
    expect(
      edit({ content: '', embeds: [] }, { current: { attachments: [{ id: '1', filename: 'a' }] } }),
    ).toBeUndefined();
    expect(
      edit({ attachments: [] }, { current: { attachments: [{ id: '1', filename: 'a' }] } }),
    ).toMatchObject(empty);
    expectFlaw(edit({ content: text(2001) }), 32, 'content', 'BASE_TYPE_MAX_LENGTH');
  });

  it('can neither make a message ephemeral nor set another flag', () => {
    expectFlaw(edit({ content: 'x', flags: 64 }), 41, 'flags', 'BASE_TYPE_CHOICES');
    expectFlaw(edit({ content: 'x', flags: 4096 }), 41, 'flags', 'BASE_TYPE_CHOICES');
    expect(edit({ content: 'x', flags: 64 }, { current: { flags: 64 } })).toBeUndefined();
    expect(edit({ content: 'x', flags: 4 })).toBeUndefined();
    expect(edit({ content: 'x', flags: 0 }, { current: { flags: 4 | 64 } })).toBeUndefined();
  });

  it('turns V2 on only with the old fields emptied, and never off', () => {
    const body = { flags: V2, components: [display] };
    const code = 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2';
    expect(edit(body, { current: { flags: 64 | 128, content: '', embeds: [] } })).toBeUndefined();
    expectFlaw(edit(body, { current: { content: 'x' } }), 36, 'content', code);
    expect(edit({ ...body, content: null }, { current: { content: 'x' } })).toBeUndefined();
    expectFlaw(edit(body, { current: { embeds: [{ title: 'x' }] } }), 36, 'embeds', code);
    const current = { flags: V2, components: [display] };
    expect(edit({ components: [display] }, { current })).toBeUndefined();
    expectFlaw(edit({ content: 'x' }, { current }), 36, 'content', code);
    expectFlaw(edit({ flags: 0 }, { current }), 41, 'flags', 'MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG');
  });
});

describe('rule 44: allowed mentions', () => {
  it('refuses a kind both parsed and listed, unknown kinds and 101 ids', () => {
    const mentions = (allowed_mentions: object) => send({ content: 'x', allowed_mentions });
    const refusal = mentions({ parse: ['roles'], roles: ['1'] });
    expectFlaw(refusal, 44, 'allowed_mentions', 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE');
    expect(messageAt(refusal, 'allowed_mentions')).toBe(
      'parse:["roles"] and roles: [ids...] are mutually exclusive.',
    );
    expect(mentions({ parse: ['roles'], users: ['1'], roles: [] })).toBeUndefined();
    expect(mentions({ parse: [] })).toBeUndefined();
    expectFlaw(mentions({ parse: ['here'] }), 44, 'allowed_mentions.parse.0', 'BASE_TYPE_CHOICES');
    const ids = Array.from({ length: 101 }, (_, i) => String(i));
    expect(mentions({ users: ids.slice(1) })).toBeUndefined();
    expectFlaw(mentions({ users: ids }), 44, 'allowed_mentions.users', 'BASE_TYPE_MAX_LENGTH');
  });
});

import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  ContainerBuilder,
  MessageFlags,
  SectionBuilder,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { checkMessage } from '../../../../../sandbox/discord/rest/rules/messages.ts';
import { expectFlaw, messageAt } from './refused.ts';

const legacy = (...components: unknown[]) => checkMessage({ components }, { for: 'callback' });
const v2 = (
  components: unknown[],
  extra: object = {},
  files: { id: string; filename: string; size: number }[] = [],
) => checkMessage({ flags: MessageFlags.IsComponentsV2, components, ...extra }, { for: 'callback', files });
const row = (...components: unknown[]) => ({ type: 1, components });
let next = 0;
const button = (extra: object = {}) => ({
  type: 2,
  style: 1,
  label: 'Go',
  custom_id: `b${next++}`,
  ...extra,
});
const choices = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ label: `l${i}`, value: `v${i}` }));
const select = (extra: object = {}) => ({ type: 3, custom_id: `s${next++}`, options: choices(3), ...extra });
const display = (content = 'hello') => ({ type: 10, content });
const text = (length: number, letter = 'a') => letter.repeat(length);

describe('rule 34: rows', () => {
  it('accepts five rows of five buttons of the builder, refuses a sixth of either', () => {
    const built = (count: number) =>
      new ActionRowBuilder<ButtonBuilder>()
        .addComponents(
          Array.from({ length: count }, () =>
            new ButtonBuilder().setStyle(ButtonStyle.Primary).setLabel('x').setCustomId(`c${next++}`),
          ),
        )
        .toJSON();
    expect(legacy(...Array.from({ length: 5 }, () => built(5)))).toBeUndefined();
    const six = legacy(built(6));
    expectFlaw(six, 34, 'components.0.components', 'BASE_TYPE_BAD_LENGTH');
    expect(messageAt(six, 'components', '0', 'components')).toBe('Must be between 1 and 5 in length.');
    expectFlaw(
      legacy(...Array.from({ length: 6 }, () => built(1))),
      34,
      'components',
      'BASE_TYPE_MAX_LENGTH',
    );
    expectFlaw(legacy(row()), 34, 'components.0.components', 'BASE_TYPE_BAD_LENGTH');
  });

  it('refuses anything beside a select, text inputs and loose buttons', () => {
    expect(legacy(row(select()))).toBeUndefined();
    expectFlaw(
      legacy(row(select(), button())),
      34,
      'components.0.components.1',
      'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    );
    const input = { type: 4, custom_id: 'i', style: 1, label: 'x' };
    expectFlaw(legacy(row(input)), 34, 'components.0.components.0', 'UNION_TYPE_CHOICES');
    expectFlaw(legacy(row({ custom_id: 'x' })), 34, 'components.0.components.0.type', 'BASE_TYPE_REQUIRED');
    expectFlaw(legacy(button()), 34, 'components.0', 'UNION_TYPE_CHOICES');
  });
});

describe('rule 34: buttons', () => {
  const press = (extra: object) => legacy(row(button(extra)));
  const at = (field: string) => `components.0.components.0${field}`;

  it('accepts each style with its own fields', () => {
    for (const style of [1, 2, 3, 4]) expect(press({ style })).toBeUndefined();
    expect(press({ style: 5, custom_id: undefined, url: 'https://example.com' })).toBeUndefined();
    expect(press({ style: 5, custom_id: undefined, url: 'discord://-/channels/1' })).toBeUndefined();
    expect(press({ style: 6, custom_id: undefined, label: undefined, sku_id: '123' })).toBeUndefined();
    expect(press({ label: undefined, emoji: { name: '1️⃣' } })).toBeUndefined();
    expect(press({ label: text(80, '🎮') })).toBeUndefined();
  });

  it.each([
    ['a label of 81', { label: text(81) }, '.label', 'BASE_TYPE_MAX_LENGTH'],
    ['no label and no emoji', { label: undefined }, '', 'BUTTON_COMPONENT_INVALID'],
    ['an unknown style', { style: 7 }, '.style', 'BASE_TYPE_CHOICES'],
    ['no custom id', { custom_id: undefined }, '.custom_id', 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED'],
    [
      'a url and a custom id',
      { url: 'https://a.b' },
      '',
      'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
    ],
    ['a link without url', { style: 5, custom_id: undefined }, '.url', 'BUTTON_COMPONENT_URL_REQUIRED'],
    ['a premium button without sku', { style: 6, custom_id: undefined }, '.sku_id', 'BASE_TYPE_REQUIRED'],
    ['a premium button with a label', { style: 6, sku_id: '1' }, '', 'BUTTON_COMPONENT_PREMIUM_FIELDS'],
    ['a sku on another', { sku_id: '1' }, '.sku_id', 'BUTTON_COMPONENT_INVALID_SKU'],
    ['letters for an emoji', { emoji: { name: 'x' } }, '.emoji.name', 'COMPONENT_INVALID_EMOJI'],
    [
      'a url of 513',
      { style: 5, custom_id: undefined, url: `https://a.b/${text(501)}` },
      '.url',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'another scheme',
      { style: 5, custom_id: undefined, url: 'steam://run/1' },
      '.url',
      'URL_TYPE_INVALID_SCHEME',
    ],
  ])('refuses %s', (_, extra, field, code) => {
    expectFlaw(press(extra), 34, at(field), code);
  });
});

describe('rule 34: selects', () => {
  const pick = (extra: object) => legacy(row(select(extra)));
  const at = (field: string) => `components.0.components.0.${field}`;

  it('accepts 1 and 25 options and refuses none and 26', () => {
    expect(pick({ options: choices(25), min_values: 0, max_values: 25 })).toBeUndefined();
    expect(pick({ options: choices(1) })).toBeUndefined();
    const none = new StringSelectMenuBuilder().setCustomId('x').setOptions([]).toJSON();
    expectFlaw(legacy(row(none)), 34, at('options'), 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(pick({ options: choices(26) }), 34, at('options'), 'BASE_TYPE_BAD_LENGTH');
  });

  it('refuses repeated values, long texts and impossible counts', () => {
    const [one] = choices(1);
    expectFlaw(
      pick({ options: [one, one] }),
      34,
      at('options.1'),
      'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    );
    expectFlaw(
      pick({ options: [{ label: text(101), value: 'v' }] }),
      34,
      at('options.0.label'),
      'BASE_TYPE_BAD_LENGTH',
    );
    expectFlaw(pick({ placeholder: text(151) }), 34, at('placeholder'), 'BASE_TYPE_MAX_LENGTH');
    expectFlaw(pick({ min_values: 2 }), 34, at('min_values'), 'NUMBER_TYPE_MAX');
    expectFlaw(pick({ max_values: 26 }), 34, at('max_values'), 'NUMBER_TYPE_MAX');
    const short = pick({ max_values: 4 });
    expectFlaw(short, 34, at('options'), 'BASE_TYPE_BAD_LENGTH');
    expect(messageAt(short, 'components', '0', 'components', '0', 'options')).toBe(
      'Must be between 4 and 25 in length.',
    );
    const chosen = choices(2).map((each) => ({ ...each, default: true }));
    expectFlaw(pick({ options: chosen }), 34, at('options'), 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES');
    expect(
      pick({ type: 5, options: undefined, default_values: [{ id: '1', type: 'user' }] }),
    ).toBeUndefined();
  });
});

describe('rule 34: a channel that is preselected', () => {
  const select = { type: 8, custom_id: 'c', default_values: [{ id: '1', type: 'channel' }] };
  const check = (channelExists?: (id: string) => boolean) =>
    checkMessage({ components: [row(select)] }, { for: 'callback', ...(channelExists && { channelExists }) });

  it('is refused when there is no such channel, as far as the channels are known', () => {
    expect(check()).toBeUndefined();
    expect(check((id) => id === '1')).toBeUndefined();
    const at = 'components.0.components.0.default_values.0';
    expectFlaw(
      check(() => false),
      34,
      at,
      'SELECT_COMPONENT_INVALID_DEFAULT_VALUE',
    );
  });
});

describe('rule 35: custom ids', () => {
  it('refuses none, 101 characters and the same twice, disabled or not', () => {
    expect(legacy(row(button({ custom_id: text(100) })))).toBeUndefined();
    expectFlaw(
      legacy(row(button({ custom_id: text(101) }))),
      35,
      'components.0.components.0.custom_id',
      'BASE_TYPE_BAD_LENGTH',
    );
    expectFlaw(
      legacy(row(select({ custom_id: undefined }))),
      35,
      'components.0.components.0.custom_id',
      'BASE_TYPE_REQUIRED',
    );
    expectFlaw(
      legacy(row(button({ custom_id: 'x' })), row(button({ custom_id: 'x', disabled: true }))),
      35,
      'components.1.components.0.custom_id',
      'COMPONENT_CUSTOM_ID_DUPLICATED',
    );
    expectFlaw(
      legacy(row(button({ id: 7 }), button({ id: 7 }))),
      35,
      'components.0.components.1.id',
      'COMPONENT_ID_DUPLICATED',
    );
    expect(legacy(row(button({ id: 0 }), button({ id: 0 })))).toBeUndefined();
  });
});

describe('rule 36: components V2', () => {
  it('accepts what the builders make', () => {
    const container = new ContainerBuilder()
      .setAccentColor(0xffffff)
      .addTextDisplayComponents(new TextDisplayBuilder().setContent('# Games'))
      .addSectionComponents(
        new SectionBuilder()
          .addTextDisplayComponents(new TextDisplayBuilder().setContent('one'))
          .setButtonAccessory(
            new ButtonBuilder().setCustomId('go').setLabel('Go').setStyle(ButtonStyle.Success),
          ),
      )
      .addSeparatorComponents((separator) => separator.setDivider(true))
      .addActionRowComponents(
        new ActionRowBuilder<ButtonBuilder>().addComponents(
          new ButtonBuilder().setCustomId('next').setLabel('Next').setStyle(ButtonStyle.Secondary),
        ),
      );
    expect(v2([container.toJSON()])).toBeUndefined();
  });

  it.each([9, 10, 11, 12, 13, 14, 17])('refuses type %i without the flag', (type) => {
    const bodies: Record<number, object> = {
      9: { components: [display()], accessory: button() },
      10: { content: 'x' },
      11: { media: { url: 'https://a.b/c.png' } },
      12: { items: [{ media: { url: 'https://a.b/c.png' } }] },
      13: { file: { url: 'attachment://a.txt' } },
      14: {},
      17: { components: [display()] },
    };
    const component = { type, ...bodies[type] };
    const refusal = legacy(component);
    expectFlaw(refusal, 36, 'components.0', 'UNION_TYPE_CHOICES');
    if (type !== 11)
      expect(messageAt(refusal, 'components', '0')).toBe('Value of field "type" must be one of (1,).');
  });

  it.each([
    ['content', 'x'],
    ['embeds', [{ title: 'x' }]],
    ['poll', { question: { text: 'q' }, answers: [{ poll_media: { text: 'a' } }] }],
  ])('refuses %s with the flag', (field, value) => {
    expectFlaw(
      v2([display()], { [field]: value }),
      36,
      field,
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
    );
    expect(v2([display()], { content: '', embeds: [], poll: null })).toBeUndefined();
  });

  it('refuses the flag with nothing to show', () => {
    expect(v2([])).toMatchObject({ rule: 32, status: 400, code: 50006 });
  });

  it('accepts 40 components, nested ones counted, and refuses 41', () => {
    const container = (children: number) => ({
      type: 17,
      components: Array.from({ length: children }, () => display('x')),
    });
    expect(v2([container(19), container(19)])).toBeUndefined();
    expectFlaw(
      v2([container(19), container(19), display('x')]),
      36,
      'components',
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
    );
    const section = { type: 9, components: [display('x')], accessory: button() };
    expectFlaw(
      v2([container(37), section].slice(0, 2)),
      36,
      'components',
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
    );
  });

  it('accepts 4000 characters of text, in one or summed, and refuses 4001', () => {
    expect(v2([display(text(4000))])).toBeUndefined();
    expect(v2([display(text(2000)), display(text(2000))])).toBeUndefined();
    expectFlaw(v2([display(text(4001))]), 36, 'components.0.content', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(
      v2([display(text(2000)), display(text(2001))]),
      36,
      'components',
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
    );
    expectFlaw(v2([display('')]), 36, 'components.0.content', 'BASE_TYPE_BAD_LENGTH');
  });

  it('breaks as Discord does above 10170 bytes of text', () => {
    // One text display costs 12 bytes besides its text: 10158 bytes pass.
    expect(v2([display(text(3386, '語'))])).toBeUndefined();
    expect(v2([display(text(3387, '語'))])).toEqual({
      rule: 36,
      status: 500,
      code: 0,
      message: '500: Internal Server Error',
    });
  });

  it('refuses an empty container, a section without accessory or with four texts', () => {
    const empty = { type: 17, components: new ContainerBuilder().components };
    expectFlaw(v2([empty]), 36, 'components.0.components', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(
      v2([{ type: 9, components: [display()] }]),
      36,
      'components.0.accessory',
      'BASE_TYPE_REQUIRED',
    );
    expectFlaw(
      v2([{ type: 9, components: Array.from({ length: 4 }, () => display()), accessory: button() }]),
      36,
      'components.0.components',
      'BASE_TYPE_BAD_LENGTH',
    );
    expectFlaw(
      v2([{ type: 17, components: [{ type: 17, components: [display()] }] }]),
      36,
      'components.0.components.0',
      'UNION_TYPE_CHOICES',
    );
  });

  it('finds a bad button deep inside, with its path', () => {
    const section = { type: 9, components: [display()], accessory: button({ label: text(81) }) };
    expectFlaw(
      v2([{ type: 17, components: [section] }]),
      34,
      'components.0.components.0.accessory.label',
      'BASE_TYPE_MAX_LENGTH',
    );
  });

  it('refuses a reference to a file that the message does not have', () => {
    const gallery = (url: string) => ({ type: 12, items: [{ media: { url } }] });
    const files = [{ id: '0', filename: 'my map.png', size: 10 }];
    const code = 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND';
    expect(v2([gallery('attachment://my_map.png')], {}, files)).toBeUndefined();
    expectFlaw(
      v2([gallery('attachment://other.png')], {}, files),
      36,
      'components.0.items.0.media.url',
      code,
    );
    expectFlaw(v2([{ type: 13, file: { url: 'attachment://a.txt' } }]), 36, 'components.0.file.url', code);
    expectFlaw(
      v2([{ type: 13, file: { url: 'https://a.b/c.txt' } }]),
      36,
      'components.0.file.url',
      'URL_TYPE_INVALID_SCHEME',
    );
    const eleven = {
      type: 12,
      items: Array.from({ length: 11 }, () => ({ media: { url: 'https://a.b/c.png' } })),
    };
    expectFlaw(v2([eleven]), 36, 'components.0.items', 'BASE_TYPE_BAD_LENGTH');
  });
});

import {
  ButtonStyle,
  Client,
  Collection,
  ComponentType,
  Events,
  GatewayIntentBits,
  type Interaction,
  type InteractionReplyOptions,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  REST,
  Routes,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import i18next from 'i18next';

/**
 * The plain bot to compare ours with. It follows the discord.js guide and has three commands of ours, but doesn't store,
 * check or limit anything. It requests the games once and submits everything with one key. /help sends a fixed message or,
 * with `--lists`, lists our bot's commands in the reader's language with i18next.
 */

interface Game {
  readonly name: string;
  readonly alias: string;
}

const { DISCORD_API_URL = '', DISCORD_TOKEN = '', LISTING_API_URL = '', LISTING_API_KEY = '' } = process.env;

/** @param fields the request's other fields, as names and values */
async function listing(
  action: string,
  fields: readonly (readonly [string, string])[] = [],
): Promise<unknown> {
  const body = new URLSearchParams({ api_key: LISTING_API_KEY, action });
  for (const [name, value] of fields) body.append(name, value);
  const response = await fetch(`${LISTING_API_URL}/api`, { method: 'POST', body });
  return response.json();
}

const games = (await listing('games')) as readonly Game[];
const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: DISCORD_API_URL } });

type HelpReply = Pick<InteractionReplyOptions, 'content' | 'components'>;

const BUTTONS = ['server', 'list', 'mine'] as const;

/** @returns a function that builds the /help reply in Discord's `locale` */
async function createLists(): Promise<(locale: string) => HelpReply> {
  const { ENGLISH, languages } = await import('../../src/words/languages.ts');
  const resources = languages.flatMap(({ locales, sentences }) =>
    locales.map((locale) => [locale, { translation: sentences }]),
  );
  await i18next.init({
    fallbackLng: 'en-US',
    resources: Object.fromEntries(resources),
    interpolation: { escapeValue: false },
  });
  const names = Object.keys(ENGLISH.sentences.commands) as (keyof typeof ENGLISH.sentences.commands)[];
  return (locale) => {
    const t = i18next.getFixedT(locale);
    const lines = names.map((name) => `/${name}: ${t(`commands.${name}.description`)}`);
    const buttons = BUTTONS.map((name) => ({
      type: ComponentType.Button as const,
      style: ButtonStyle.Secondary as const,
      custom_id: name,
      label: t(`panel.${name}`),
    }));
    return {
      content: [`**${t('help.title')}**`, ...lines].join('\n'),
      components: [{ type: ComponentType.ActionRow, components: buttons }],
    };
  };
}

const helpFor = process.argv.includes('--lists')
  ? await createLists()
  : (): HelpReply => ({ content: 'Submit a server with /addserver.' });

const help = {
  data: new SlashCommandBuilder().setName('help').setDescription('What this bot can do'),
  async execute(interaction: Interaction) {
    if (!interaction.isChatInputCommand()) return;
    await interaction.reply({ ...helpFor(interaction.locale), flags: MessageFlags.Ephemeral });
  },
};

const addserver = {
  data: new SlashCommandBuilder()
    .setName('addserver')
    .setDescription('Submits a server')
    .addStringOption((option) =>
      option.setName('game').setDescription('The game').setRequired(true).setAutocomplete(true),
    )
    .addStringOption((option) => option.setName('server').setDescription('The address').setRequired(true)),
  async autocomplete(interaction: Interaction) {
    if (!interaction.isAutocomplete()) return;
    const focusedValue = interaction.options.getFocused();
    const filtered = games.filter((game) => game.name.toLowerCase().startsWith(focusedValue.toLowerCase()));
    await interaction.respond(filtered.slice(0, 25).map(({ name, alias }) => ({ name, value: alias })));
  },
  async execute(interaction: Interaction) {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    const [server = '', port = ''] = interaction.options.getString('server', true).split(':');
    const answer = await listing('add', [
      ['servers[][server]', server],
      ['servers[][port]', port],
      ['servers[][game]', interaction.options.getString('game', true)],
    ]);
    await interaction.editReply(String(Object(answer).message));
  },
};

const addservers = {
  data: new SlashCommandBuilder().setName('addservers').setDescription('Submits a list of servers'),
  async execute(interaction: Interaction) {
    if (!interaction.isChatInputCommand()) return;
    const servers = new TextInputBuilder().setCustomId('servers').setStyle(TextInputStyle.Paragraph);
    const label = new LabelBuilder().setLabel('Servers').setTextInputComponent(servers);
    const modal = new ModalBuilder().setCustomId('addservers').setTitle('Servers').addLabelComponents(label);
    await interaction.showModal(modal);
  },
  async submit(interaction: Interaction) {
    if (!interaction.isModalSubmit()) return;
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    const servers = interaction.fields
      .getTextInputValue('servers')
      .split('\n')
      .flatMap((line) => {
        const [address = '', game = ''] = line.split(' ');
        const [server = '', port = ''] = address.split(':');
        return [
          ['servers[][server]', server],
          ['servers[][port]', port],
          ['servers[][game]', game],
        ] as const;
      });
    const answer = await listing('add', servers);
    await interaction.editReply(String(Object(answer).message));
  },
};

type PlainCommand = typeof help | typeof addserver | typeof addservers;
const commands = new Collection<string, PlainCommand>([
  ['help', help],
  ['addserver', addserver],
  ['addservers', addservers],
]);

client.on(Events.InteractionCreate, async (interaction) => {
  if (interaction.isChatInputCommand()) {
    await commands.get(interaction.commandName)?.execute(interaction);
  } else if (interaction.isAutocomplete()) {
    const command = commands.get(interaction.commandName);
    if (command && 'autocomplete' in command) await command.autocomplete(interaction);
  } else if (interaction.isModalSubmit()) {
    await addservers.submit(interaction);
  }
});
client.on(Events.Error, () => process.exit(1));

client.once(Events.ClientReady, async (ready) => {
  const rest = new REST({ version: '10', api: DISCORD_API_URL }).setToken(DISCORD_TOKEN);
  await rest.put(Routes.applicationCommands(ready.application.id), {
    body: [...commands.values()].map(({ data }) => data.toJSON()),
  });
});

await client.login(DISCORD_TOKEN);

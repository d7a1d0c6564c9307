import {
  ActionRowBuilder,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  type ClientOptions,
  Events,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import type { DiscordStandIn } from '../../../../sandbox/discord/contract.ts';

export const TOKEN = 'aaa.bbb.ccc';

/** A bot that does what a test says, with a real discord.js client and no intents. */
export async function connect(
  standIn: Pick<DiscordStandIn, 'apiUrl'>,
  handle: (interaction: Interaction) => Promise<unknown>,
  options: Partial<ClientOptions> = {},
): Promise<Client> {
  const client = new Client({ intents: [], ...options, rest: { ...options.rest, api: standIn.apiUrl } });
  client.on(
    Events.InteractionCreate,
    (interaction) => void handle(interaction).catch((error) => client.emit('error', error)),
  );
  client.on(Events.Error, () => {});
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(TOKEN);
  await ready;
  return client;
}

/** The commands of the small bot: autocomplete, deferral, modal, buttons, a file. */
export const SMALL_COMMANDS = [
  new SlashCommandBuilder()
    .setName('find')
    .setDescription('Finds something')
    .addStringOption((option) =>
      option.setName('what').setDescription('What to find').setRequired(true).setAutocomplete(true),
    )
    .addIntegerOption((option) =>
      option.setName('count').setDescription('How many').setMinValue(1).setMaxValue(5),
    ),
  new SlashCommandBuilder().setName('ask').setDescription('Opens a modal'),
  new SlashCommandBuilder().setName('buttons').setDescription('Shows buttons'),
  new SlashCommandBuilder().setName('file').setDescription('Sends a file'),
].map((command) => command.toJSON());

/** What the small bot does with them. */
export async function smallBot(interaction: Interaction): Promise<unknown> {
  if (interaction.isAutocomplete()) {
    const typed = interaction.options.getFocused();
    return interaction.respond([{ name: `${typed}!`, value: typed }]);
  }
  if (interaction.isModalSubmit()) {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    return interaction.editReply(`You said ${interaction.fields.getTextInputValue('text')}`);
  }
  if (interaction.isButton()) {
    if (interaction.customId === 'later') {
      await interaction.deferUpdate();
      return interaction.editReply({ content: 'pressed later', components: [] });
    }
    return interaction.update({ content: `pressed ${interaction.customId}` });
  }
  if (!interaction.isChatInputCommand()) return undefined;
  switch (interaction.commandName) {
    case 'find':
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      return interaction.editReply(`found ${interaction.options.getString('what', true)}`);
    case 'ask':
      return interaction.showModal(
        new ModalBuilder()
          .setCustomId('asked')
          .setTitle('A question')
          .addLabelComponents(
            new LabelBuilder()
              .setLabel('Text')
              .setTextInputComponent(
                new TextInputBuilder().setCustomId('text').setStyle(TextInputStyle.Short).setMinLength(2),
              ),
          ),
      );
    case 'buttons':
      return interaction.reply({
        content: 'press one',
        components: [
          new ActionRowBuilder<ButtonBuilder>().addComponents(
            new ButtonBuilder().setCustomId('now').setLabel('Now').setStyle(ButtonStyle.Primary),
            new ButtonBuilder().setCustomId('later').setLabel('Later').setStyle(ButtonStyle.Secondary),
            new ButtonBuilder()
              .setCustomId('never')
              .setLabel('Never')
              .setStyle(ButtonStyle.Danger)
              .setDisabled(true),
          ),
        ],
      });
    default:
      await interaction.reply('first');
      return interaction.followUp({
        content: 'with a file',
        files: [new AttachmentBuilder(Buffer.from('hello file'), { name: 'hello.txt' })],
      });
  }
}

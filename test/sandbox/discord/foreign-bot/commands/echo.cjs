const {
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder()
    .setName('echo')
    .setDescription('Says what you say')
    .addStringOption((option) =>
      option.setName('title').setDescription('Title of the window').setMaxLength(45),
    ),
  async execute(interaction) {
    const words = new TextInputBuilder()
      .setCustomId('words')
      .setStyle(TextInputStyle.Paragraph)
      .setPlaceholder('Anything at all')
      .setMaxLength(200);
    const volume = new StringSelectMenuBuilder()
      .setCustomId('volume')
      .addOptions({ label: 'Quietly', value: 'quiet' }, { label: 'Loudly', value: 'loud' });
    const modal = new ModalBuilder()
      .setCustomId(`echo-${interaction.id}`)
      .setTitle(interaction.options.getString('title') ?? 'Echo')
      .addLabelComponents(
        new LabelBuilder().setLabel('What shall I say?').setTextInputComponent(words),
        new LabelBuilder().setLabel('How?').setStringSelectMenuComponent(volume),
      );
    await interaction.showModal(modal);
    const submit = await interaction.awaitModalSubmit({
      filter: (other) => other.customId === modal.data.custom_id,
      time: 60_000,
    });
    const said = submit.fields.getTextInputValue('words');
    const [how] = submit.fields.getStringSelectValues('volume');
    await submit.reply({
      content: how === 'loud' ? said.toUpperCase() : said,
      flags: how === 'loud' ? undefined : MessageFlags.Ephemeral,
    });
  },
};

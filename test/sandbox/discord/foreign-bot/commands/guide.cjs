const { AttachmentBuilder, SlashCommandBuilder } = require('discord.js');

const topics = ['Topics: threads', 'Topics: shards', 'Answering commands', 'Modals'];

module.exports = {
  data: new SlashCommandBuilder()
    .setName('guide')
    .setDescription('Looks something up')
    .addStringOption((option) =>
      option.setName('query').setDescription('What to look for').setRequired(true).setAutocomplete(true),
    )
    .addIntegerOption((option) =>
      option.setName('lines').setDescription('How much').setMinValue(1).setMaxValue(3),
    ),
  async autocomplete(interaction) {
    const typed = interaction.options.getFocused();
    const found = topics.filter((topic) => topic.toLowerCase().includes(typed.toLowerCase()));
    await interaction.respond(found.map((topic) => ({ name: topic, value: topic })));
  },
  async execute(interaction) {
    await interaction.deferReply();
    const text = `${interaction.options.getString('query')}\n`.repeat(
      interaction.options.getInteger('lines') ?? 1,
    );
    await interaction.editReply({
      content: `Found in ${interaction.guild.name}`,
      files: [new AttachmentBuilder(Buffer.from(text), { name: 'guide.txt' })],
    });
    await interaction.followUp('Was it of any help?');
  },
};

const {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  ComponentType,
  EmbedBuilder,
  SlashCommandBuilder,
} = require('discord.js');

const pages = ['First page', 'Second page', 'Third page'];

function show(page) {
  const back = new ButtonBuilder()
    .setCustomId('back')
    .setLabel('Back')
    .setStyle(ButtonStyle.Secondary)
    .setDisabled(page === 0);
  const next = new ButtonBuilder()
    .setCustomId('next')
    .setLabel('Next')
    .setStyle(ButtonStyle.Primary)
    .setDisabled(page === pages.length - 1);
  const embed = new EmbedBuilder()
    .setTitle(pages[page])
    .setFooter({ text: `${page + 1} of ${pages.length}` });
  return { embeds: [embed], components: [new ActionRowBuilder().addComponents(back, next)] };
}

module.exports = {
  data: new SlashCommandBuilder().setName('pages').setDescription('Leafs through pages'),
  async execute(interaction) {
    let page = 0;
    const response = await interaction.reply({ ...show(page), withResponse: true });
    const collector = response.resource.message.createMessageComponentCollector({
      componentType: ComponentType.Button,
      filter: (press) => press.user.id === interaction.user.id,
      time: 60_000,
    });
    collector.on('collect', async (press) => {
      page += press.customId === 'next' ? 1 : -1;
      await press.update(show(page));
    });
  },
};

const { SlashCommandBuilder } = require('discord.js');

module.exports = {
  data: new SlashCommandBuilder().setName('ping').setDescription('Tells how fast the bot answers'),
  async execute(interaction) {
    const sent = await interaction.reply({ content: 'Measuring', withResponse: true });
    const took = sent.resource.message.createdTimestamp - interaction.createdTimestamp;
    await interaction.editReply(`Pong! ${took} ms`);
  },
};

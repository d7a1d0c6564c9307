const { Client, Collection, Events, GatewayIntentBits, MessageFlags } = require('discord.js');
const commands = require('./commands-in-folder.cjs');

const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  // What a bot needs to run here, and all it needs: another address.
  rest: { api: process.env.DISCORD_API },
});
client.commands = new Collection(commands.map((command) => [command.data.name, command]));

client.once(Events.ClientReady, (ready) => {
  process.stdout.write(`${ready.user.tag} is here\n`);
});

client.on(Events.InteractionCreate, async (interaction) => {
  if (!interaction.isChatInputCommand() && !interaction.isAutocomplete()) return;
  const command = client.commands.get(interaction.commandName);
  if (!command) return;
  if (interaction.isAutocomplete()) {
    await command.autocomplete(interaction);
    return;
  }
  try {
    await command.execute(interaction);
  } catch (error) {
    process.stderr.write(`${error}\n`);
    const sorry = {
      content: 'Something went wrong with this command.',
      flags: MessageFlags.Ephemeral,
    };
    if (interaction.replied || interaction.deferred) await interaction.followUp(sorry);
    else await interaction.reply(sorry);
  }
});

client.login(process.env.DISCORD_TOKEN);

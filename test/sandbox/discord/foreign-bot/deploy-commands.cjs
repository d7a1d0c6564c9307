const { REST, Routes } = require('discord.js');
const commands = require('./commands-in-folder.cjs');

// What a bot needs to run here, and all it needs: another address.
const rest = new REST({ api: process.env.DISCORD_API }).setToken(process.env.DISCORD_TOKEN);

(async () => {
  const application = await rest.get(Routes.currentApplication());
  await rest.put(Routes.applicationCommands(application.id), {
    body: commands.map((command) => command.data.toJSON()),
  });
})();

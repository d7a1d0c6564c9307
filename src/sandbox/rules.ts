/** A rule of Discord that the stand-in enforces. */
export interface Rule {
  /** 1–59; the numbers are those in comments, in `Refusal.rule` and in the names of the tests. */
  readonly rule: number;
  readonly title: string;
  /** The files, from the project's root, that enforce it. */
  readonly where: readonly string[];
}

const checks = (...names: readonly string[]): string[] =>
  names.map((name) => `src/sandbox/rest/rules/${name}.ts`);

/** Every rule of Discord that matters to a bot of interactions, by number. */
export const RULES: readonly Rule[] = [
  // Transport
  { rule: 1, title: 'Only /api/v10 is served; unknown routes 404, wrong methods 405', where: [] },
  { rule: 2, title: 'Bot routes need the bot token; interaction routes need none', where: [] },
  { rule: 3, title: 'The User-Agent begins with "DiscordBot ("', where: [] },
  { rule: 4, title: 'The Content-Type is known and the JSON is JSON', where: [] },
  {
    rule: 5,
    title: 'Multipart: known attachment ids, ten files, each within the size limit',
    where: checks('attachments'),
  },
  { rule: 6, title: 'A 204 has no Content-Type', where: [] },
  { rule: 7, title: 'Unknown fields are ignored', where: checks('shape') },
  { rule: 8, title: '%40original is @original', where: [] },
  { rule: 9, title: 'Every answer carries the rate limit headers; 429s as Discord words them', where: [] },
  { rule: 10, title: 'Snowflakes are strings of 17–19 digits with a current timestamp', where: [] },
  // Commands
  {
    rule: 11,
    title: 'Names of commands and options: pattern, 1–32, lower case',
    where: checks('command-names', 'commands'),
  },
  { rule: 12, title: 'Descriptions: 1–100, none on context menu commands', where: checks('commands') },
  {
    rule: 13,
    title: '25 options, 25 choices, names and values of choices up to 100',
    where: checks('command-options'),
  },
  { rule: 14, title: 'Required options before optional ones', where: checks('command-options') },
  { rule: 15, title: 'Option names are unique in every language', where: checks('command-names') },
  {
    rule: 16,
    title: 'Autocomplete, choices and file types only where they belong',
    where: checks('command-options', 'file-types'),
  },
  {
    rule: 17,
    title: 'Command → group → subcommand → option, never mixed',
    where: checks('command-options', 'commands'),
  },
  { rule: 18, title: 'A command has at most 8000 characters', where: checks('commands') },
  {
    rule: 19,
    title: 'Localizations: known locales, texts as strict as the default',
    where: checks('command-names', 'commands'),
  },
  {
    rule: 20,
    title: 'Contexts, integration types, default permissions: known and unique',
    where: checks('commands'),
  },
  { rule: 21, title: 'POST upserts, PUT replaces and indexes its errors', where: checks('commands') },
  { rule: 22, title: 'Caps per type, 200 new commands a day', where: checks('commands') },
  { rule: 23, title: 'Scope and application must be the bot’s own', where: [] },
  {
    rule: 24,
    title: 'Only registered commands are invoked, with what their options allow',
    where: checks('invocation'),
  },
  // Callback
  { rule: 25, title: 'Unknown interaction, or later than 3 seconds', where: [] },
  { rule: 26, title: 'A second callback', where: [] },
  { rule: 27, title: 'Callback types by kind of interaction', where: checks('callbacks') },
  { rule: 28, title: '204, or 200 with the created message when asked for', where: [] },
  { rule: 29, title: 'A deferral is ephemeral or not, and nothing else', where: checks('message-flags') },
  { rule: 30, title: 'Flags of a new message', where: checks('message-flags') },
  {
    rule: 31,
    title: 'Suggestions: 25, of the option’s type, up to 100',
    where: checks('callbacks', 'command-options'),
  },
  { rule: 32, title: 'A message is not empty; content up to 2000', where: checks('messages') },
  { rule: 33, title: 'Embeds: ten, their fields, 6000 in all', where: checks('embeds') },
  { rule: 34, title: 'Rows, buttons and selects', where: checks('message-components', 'buttons', 'selects') },
  { rule: 35, title: 'Custom ids: 1–100 and unique', where: checks('component-tree') },
  {
    rule: 36,
    title: 'Components V2: the flag, 40 components, 4000 characters, no old fields',
    where: checks('message-components', 'messages'),
  },
  { rule: 37, title: 'Modals: title, 1–5 components, their fields', where: checks('modals', 'selects') },
  {
    rule: 38,
    title: 'Modal submits: only what was shown, with values that its fields allow',
    where: checks('modal-values'),
  },
  // Follow-ups
  { rule: 39, title: 'Webhook calls before the acknowledgement, after 15 minutes, on nothing', where: [] },
  { rule: 40, title: 'The first follow-up after a deferral edits its message', where: [] },
  {
    rule: 41,
    title: 'An edit changes neither ephemeral nor V2; V2 needs the old fields emptied',
    where: checks('message-flags', 'messages'),
  },
  {
    rule: 42,
    title: 'An edit keeps the attachments it lists and is checked like a new message',
    where: checks('messages', 'attachments'),
  },
  { rule: 43, title: 'Five follow-ups for user installs', where: [] },
  { rule: 44, title: 'Allowed mentions, and whom a message pings', where: checks('mentions') },
  { rule: 45, title: 'Five requests in 2 seconds for each interaction token', where: [] },
  // Gateway
  { rule: 46, title: 'HELLO, heartbeats and their acknowledgements', where: [] },
  { rule: 47, title: 'Close codes', where: [] },
  { rule: 48, title: 'Identify limits', where: [] },
  { rule: 49, title: 'READY lists the shard’s guilds as unavailable', where: [] },
  { rule: 50, title: 'Guild events only with the GUILDS intent', where: [] },
  { rule: 51, title: 'INTERACTION_CREATE by shard, with any intents', where: [] },
  { rule: 52, title: 'Interaction payloads are complete', where: [] },
  { rule: 53, title: 'GUILD_DELETE: removal and outage', where: [] },
  { rule: 54, title: 'RESUME replays in order', where: [] },
  { rule: 55, title: 'Faults on demand', where: [] },
  // CDN and operations
  { rule: 56, title: 'Signed attachment addresses that expire', where: [] },
  { rule: 57, title: 'Invalid requests are counted', where: [] },
  { rule: 58, title: 'A clock that can be moved', where: [] },
  { rule: 59, title: 'Every request is kept, for scanning for secrets', where: [] },
];

/** A rule of Discord that the stand-in enforces. */
export interface Rule {
  /** 1–60; the numbers are those in comments, in `Refusal.rule` and in the names of the tests. */
  readonly rule: number;
  readonly title: string;
  /** The files, from the project's root, that enforce it. */
  readonly where: readonly string[];
  /**
   * The files with the tests that break it; the first names it "rule N". What is about a body is in `broken-bodies`,
   * without a socket; that a route applies those rules is tried once for each route, over real sockets.
   */
  readonly tests: readonly string[];
  /** Where Discord says so: pages and headings of its documentation unless another source is named. */
  readonly source: string;
}

/** rule | title | where it is enforced, below sandbox/discord | what breaks it, below test/sandbox/discord | source */
const TABLE = `
## Transport
 1 | Only /api/v10 is served; unknown routes 404, wrong methods 405 | rest/server rest/route | rest/transport | API Reference: API Versioning
 2 | Bot routes need the bot token; interaction routes need none | rest/server | rest/transport | API Reference: Authentication; Receiving and Responding: Endpoints
 3 | The User-Agent begins with "DiscordBot ("; a file is given to no client without one | rest/server rest/edge | rest/transport rest/operations | API Reference: User Agent
 4 | The Content-Type is known and the JSON is JSON | rest/body | rest/transport | API Reference: Content-Type, Error Messages
 5 | Multipart: known attachment ids, ten files, each within the size limit | rest/body rest/rules/attachments | rest/transport rest/rules/messages | API Reference: Uploading Files
 6 | A 204 has no Content-Type | rest/server | rest/transport | RFC 9110 §15.3.5
 7 | Unknown fields are ignored | rest/rules/shape | rest/transport rest/rules/messages | Seen: discord.js sends fields that a route does not have
 8 | %40original is @original | rest/route | rest/transport | RFC 3986 §2.1
 9 | Every answer carries the rate limit headers; 429s as Discord words them | rest/rate-limits rest/server rest/faults | rest/transport | Rate Limits: Header Format, Exceeding A Rate Limit
10 | Snowflakes are strings of 17–19 digits with a current timestamp | world/snowflakes | rest/transport | API Reference: Snowflakes

## Commands
11 | Names of commands and options: pattern, 1–32, lower case | rest/rules/command-options rest/rules/commands | rest/rules/broken-bodies rest/rules/commands | Application Commands: Application Command Naming
12 | Descriptions: 1–100, none on context menu commands | rest/rules/commands | rest/rules/broken-bodies rest/rules/commands | Application Commands: Application Command Object
13 | 25 options, 25 choices, names and values of choices up to 100 | rest/rules/command-options | rest/rules/broken-bodies rest/rules/commands | Application Commands: Option and Choice Structure
14 | Required options before optional ones | rest/rules/command-options | rest/rules/broken-bodies rest/rules/commands | Application Commands: Option Structure
15 | Option names are unique in every language | rest/rules/command-options | rest/rules/broken-bodies rest/rules/commands | Seen: APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS
16 | Autocomplete, choices and file types only where they belong | rest/rules/command-options rest/rules/attachments | rest/rules/broken-bodies rest/rules/commands | Application Commands: Option Structure
17 | Command → group → subcommand → option, never mixed | rest/rules/command-options rest/rules/commands | rest/rules/broken-bodies rest/rules/commands | Application Commands: Subcommands and Subcommand Groups
18 | A command has at most 8000 characters | rest/rules/commands | rest/rules/broken-bodies rest/rules/commands | Application Commands: Application Command Object
19 | Localizations: known locales, texts as strict as the default | rest/rules/command-options rest/rules/commands | rest/rules/broken-bodies rest/rules/commands | Application Commands: Localization; Reference: Locales
20 | Contexts, integration types, default permissions: known and unique | rest/rules/commands world/command-form | rest/rules/broken-bodies rest/rules/commands | Application Commands: Contexts, Permissions
21 | POST upserts, PUT replaces and indexes its errors | world/commands rest/command-routes rest/rules/commands | rest/commands rest/rules/commands | Application Commands: Endpoints
22 | Caps per type, 200 new commands a day | world/commands rest/command-routes rest/rules/commands | rest/commands rest/rules/commands | Application Commands: Registering a Command; Error Codes 30032, 30034
23 | Scope and application must be the bot’s own | rest/command-routes world/command-form | rest/commands | Application Commands: Authorizing Your Application; Error Codes 50001, 20012
24 | Only registered commands are invoked, with what their options allow | client/person client/visibility client/options rest/rules/invocation | client/commands rest/rules/invocation | Application Commands: Permissions, Option Structure

## Callback
25 | Unknown interaction, or later than 3 seconds | rest/callback-routes world/interactions | rest/callback | Receiving and Responding: Responding to an Interaction; Error Code 10062
26 | A second callback | rest/callback-routes | rest/callback | Error Code 40060
27 | Callback types by kind of interaction | rest/callback-routes rest/rules/callbacks | rest/callback rest/rules/callbacks | Receiving and Responding: Interaction Callback Type
28 | 204, or 200 with the created message when asked for | rest/callback-routes | rest/callback | Receiving and Responding: Create Interaction Response
29 | A deferral is ephemeral or not, and nothing else | rest/rules/messages | rest/rules/broken-bodies rest/rules/callbacks | Receiving and Responding: Interaction Callback Data, flags
30 | Flags of a new message | rest/rules/messages | rest/rules/broken-bodies rest/rules/callbacks rest/transport | Message: Message Flags
31 | Suggestions: 25, of the option’s type, up to 100 | rest/rules/callbacks rest/rules/command-options | rest/rules/broken-bodies rest/rules/callbacks | Receiving and Responding: Autocomplete
32 | A message is not empty; content up to 2000 | rest/rules/messages | rest/rules/broken-bodies rest/rules/messages | Message: Create Message; Error Code 50006
33 | Embeds: ten, their fields, 6000 in all | rest/rules/embeds | rest/rules/broken-bodies rest/rules/messages | Message: Embed Limits
34 | Rows, buttons and selects | rest/rules/message-components rest/rules/components | rest/rules/broken-bodies rest/rules/components | Components: Action Row, Button, String Select
35 | Custom ids: 1–100 and unique | rest/rules/components | rest/rules/broken-bodies rest/rules/components | Components: Custom ID
36 | Components V2: the flag, 40 components, 4000 characters, no old fields | rest/rules/message-components rest/rules/messages | rest/rules/broken-bodies rest/rules/components | Components: Using Message Components; Message Flags
37 | Modals: title, 1–5 components, their fields | rest/rules/modals rest/rules/components | rest/rules/broken-bodies rest/rules/modals | Receiving and Responding: Modal; Components: Label, Text Input
38 | Modal submits: only what was shown, with values that its fields allow | client/person client/modal-form rest/rules/modals | client/modals rest/rules/modals | Receiving and Responding: Modal Submit

## Follow-ups
39 | Webhook calls before the acknowledgement, after 15 minutes, on nothing | rest/webhook-routes | rest/webhook | Receiving and Responding: Followup Messages; Error Codes 10015, 50027, 10008
40 | The first follow-up after a deferral edits its message | rest/webhook-routes | rest/webhook | Seen: discord-api-docs, discussion 2742; Receiving and Responding: Followup Messages
41 | An edit changes neither ephemeral nor V2; V2 needs the old fields emptied | rest/outgoing rest/rules/messages | rest/webhook rest/rules/messages | Message: Edit Message, Message Flags
42 | An edit keeps the attachments it lists and is checked like a new message | rest/outgoing rest/message-form rest/rules/messages rest/rules/attachments | rest/webhook | Webhook: Edit Webhook Message
43 | Five follow-ups for user installs | rest/webhook-routes | rest/webhook | Error Code 40094
44 | Allowed mentions, and whom a message pings | rest/outgoing rest/channel-routes rest/rules/mentions | rest/webhook rest/rules/mentions rest/transport rest/rules/broken-bodies | Message: Allowed Mentions
45 | Five requests in 2 seconds for each interaction token | rest/webhook-routes rest/rate-limits | rest/webhook | Seen: X-RateLimit headers of interaction webhooks

## Gateway
46 | HELLO, heartbeats and their acknowledgements | gateway/connection | gateway/protocol | Gateway: Sending Heartbeats
47 | Close codes | gateway/connection gateway/identify gateway/server gateway/protocol | gateway/protocol gateway/login | Opcodes and Status Codes: Gateway Close Event Codes
48 | Identify limits | gateway/identify gateway/connection gateway/server | gateway/protocol gateway/login | Gateway: Identifying, Rate Limiting; Sharding: Max Concurrency
49 | READY lists the shard’s guilds as unavailable | gateway/payloads | gateway/sessions | Gateway Events: Ready
50 | Guild events only with the GUILDS intent | gateway/sessions gateway/guild-events gateway/payloads | gateway/sessions | Gateway: List of Intents; Gateway Events: Guild Create
51 | INTERACTION_CREATE by shard, with any intents | gateway/sessions gateway/server | gateway/sessions | Interactions Overview: Preparing for Interactions; Gateway: Sharding
52 | Interaction payloads are complete | client/payload | client/commands | Receiving and Responding: Interaction Object
53 | GUILD_DELETE: removal and outage | gateway/guild-events | gateway/sessions | Gateway Events: Guild Delete
54 | RESUME replays in order | gateway/connection gateway/sessions | gateway/sessions | Gateway: Resuming; Gateway Events: Resumed
55 | Faults on demand | gateway/server rest/faults | gateway/sessions | Gateway: Disconnecting; Opcodes and Status Codes

## CDN and operations
56 | Signed attachment addresses that expire | world/files rest/edge | rest/operations | API Reference: Signed Attachment CDN URLs
57 | Invalid requests are counted | records | rest/operations | Rate Limits: Invalid Request Limit
58 | A clock that can be moved | world/clock | rest/operations | The deadlines of rules 9, 22, 25, 39, 48 and 56
59 | Every request is kept, for scanning for secrets | records | rest/operations | Developer Terms of Service: security of tokens

## Messages in a channel
60 | A nonce that is enforced: posted again within minutes, it is the message that is there | rest/channel-routes rest/rules/messages | rest/transport | Message: Create Message
`;

/** Every rule of Discord that matters to a bot of interactions, by number. */
export const RULES: readonly Rule[] = TABLE.split('\n')
  .filter((line) => line.includes(' | '))
  .map((line) => {
    const [rule, title = '', where = '', tests = '', source = ''] = line.split(' | ');
    return {
      rule: Number(rule),
      title,
      where: where.split(' ').map((name) => `sandbox/discord/${name}.ts`),
      tests: tests.split(' ').map((name) => `test/sandbox/discord/${name}.test.ts`),
      source,
    };
  });

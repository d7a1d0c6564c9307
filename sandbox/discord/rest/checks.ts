import { ApplicationCommandType } from 'discord.js';
import {
  ApplicationCommandUpdateRequestSchema,
  IncomingWebhookInteractionRequestSchema,
  IncomingWebhookRequestPartialSchema,
  IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema,
  IncomingWebhookUpdateRequestPartialSchema,
  InteractionApplicationCommandAutocompleteCallbackStringDataSchema,
  ModalInteractionCallbackRequestDataSchema,
} from 'discord-api-spec/zod';
import type { $ZodType } from 'zod/v4/core';
import type { Denial } from './denial.ts';
import {
  CHOICE_RULES,
  COMMAND_RULES,
  MESSAGE_RULES,
  type MessageRequest,
  MODAL_RULES,
  RESPONSE_RULES,
  type Rule,
  type SentCommand,
  type SentMessage,
  type SentResponse,
} from './rules.ts';
import { inWords, type Path, schemaFlaws } from './schema.ts';

/** What a breach of a published schema is called. */
export const PUBLISHED_SCHEMA = "Discord's published schema";

const invalidBody = (title: string, words: string): Denial => ({
  status: 400,
  code: 50035,
  message: `Invalid Form Body\n${words}`,
  title,
});

/** @param at where the body sits in that of the request */
function bySchema(schema: $ZodType, body: unknown, at: Path = []): Denial | undefined {
  const flaws = schemaFlaws(schema, body, at);
  return flaws.length === 0 ? undefined : invalidBody(PUBLISHED_SCHEMA, inWords(flaws));
}

function byRules<Sent>(rules: readonly Rule<Sent>[], sent: Sent, at: Path = []): Denial | undefined {
  for (const { title, check } of rules) {
    const path = check(sent);
    if (path !== undefined) return invalidBody(title, inWords([{ message: title, path: [...at, ...path] }]));
  }
  return undefined;
}

const MESSAGE_SCHEMAS: Readonly<Record<MessageRequest, $ZodType>> = {
  response: IncomingWebhookInteractionRequestSchema,
  update: IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema,
  edit: IncomingWebhookUpdateRequestPartialSchema,
  'follow-up': IncomingWebhookRequestPartialSchema,
  // Of what the schema of posts allows besides, bots may use the nonce alone (content of 4,000).
  post: IncomingWebhookRequestPartialSchema,
};

export const checkMessage = (sent: SentMessage, at?: Path): Denial | undefined =>
  bySchema(MESSAGE_SCHEMAS[sent.request], sent.body, at) ?? byRules(MESSAGE_RULES, sent, at);

export const checkResponse = (sent: SentResponse): Denial | undefined => byRules(RESPONSE_RULES, sent);

export const checkChoices = (data: unknown): Denial | undefined =>
  bySchema(InteractionApplicationCommandAutocompleteCallbackStringDataSchema, data, ['data']) ??
  byRules(CHOICE_RULES, Object(data), ['data']);

export const checkModal = (data: unknown): Denial | undefined =>
  bySchema(ModalInteractionCallbackRequestDataSchema, data, ['data']) ??
  byRules(MODAL_RULES, Object(data), ['data']);

/** The body of a PUT, which replaces all commands. */
export function checkCommands(body: unknown): Denial | undefined {
  if (!Array.isArray(body)) return invalidBody(PUBLISHED_SCHEMA, 'A list of commands was expected');
  for (const [index, command] of body.entries()) {
    const isEntryPoint = Object(command).type === ApplicationCommandType.PrimaryEntryPoint;
    const denial =
      bySchema(ApplicationCommandUpdateRequestSchema, command, [index]) ??
      byRules<SentCommand>(isEntryPoint ? [] : COMMAND_RULES, command, [index]);
    if (denial !== undefined) return denial;
  }
  const names = body.map(({ name, type = ApplicationCommandType.ChatInput }) => `${type} ${name}`);
  return new Set(names).size < names.length
    ? invalidBody('Names of commands differ', names.join(', '))
    : undefined;
}

/** Declares the schemas used here, because the package ships Discord's schemas as plain JavaScript without types. */
declare module 'discord-api-spec/zod' {
  import type { ZodMiniObject } from 'zod/mini';
  import type { $ZodType } from 'zod/v4/core';

  export const ApplicationCommandResponseSchema: $ZodType;
  export const ApplicationCommandUpdateRequestSchema: $ZodType;
  export const CommandPermissionsResponseSchema: $ZodType;
  export const CreatePrivateChannelRequestSchema: $ZodType;
  export const ErrorResponseSchema: $ZodType;
  export const GatewayBotResponseSchema: $ZodType;
  export const GatewayResponseSchema: $ZodType;
  export const GuildChannelResponseSchema: $ZodType;
  export const GuildIncomingWebhookResponseSchema: $ZodType;
  export const GuildWithCountsResponseSchema: ZodMiniObject;
  export const IncomingWebhookInteractionRequestSchema: $ZodType;
  export const IncomingWebhookRequestPartialSchema: $ZodType;
  export const IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema: $ZodType;
  export const IncomingWebhookUpdateRequestPartialSchema: $ZodType;
  export const InteractionApplicationCommandAutocompleteCallbackStringDataSchema: $ZodType;
  export const MessageResponseSchema: $ZodType;
  export const ModalInteractionCallbackRequestDataSchema: $ZodType;
  export const PrivateApplicationResponseSchema: ZodMiniObject;
  export const PrivateChannelResponseSchema: $ZodType;
  export const RatelimitedResponseSchema: $ZodType;
}

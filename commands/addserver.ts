import { hash } from 'node:crypto';
import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import { HIGHEST_PORT, LOWEST_PORT } from '../src/addresses/address.ts';
import type { Command, CommandContext, Context, Reply, SubmitContext } from '../src/discord/command.ts';
import {
  button,
  type Control,
  customId,
  isCustomId,
  linkButton,
  type Modal,
  modal,
  rows,
} from '../src/discord/components/controls.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog, Suggestions } from '../src/listing/game-catalog.ts';
import { type Repair, readOneWithGames, repaired, type TypedRow, typedOf } from '../src/server-lists/row.ts';
import type { Refusal } from '../src/submissions/checks.ts';
import { draftOfOne } from '../src/submissions/draft.ts';
import type { Ended, Pipeline } from '../src/submissions/pipeline.ts';
import type { Records } from '../src/submissions/record.ts';
import type { Order } from '../src/submissions/requests.ts';
import type { UserError } from '../src/user-error.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { gameChoices, NEAREST } from '../src/words/games.ts';
import { afterRestartText } from '../src/words/history.ts';
import {
  announcementOf,
  describe,
  gameNamed,
  outcomeText,
  pageOfUnknown,
  serverEmbed,
} from '../src/words/outcome.ts';
import {
  type Correction,
  correctionsAfter,
  correctionsAfterRefusal,
  correctionsOfProblem,
  singleProblemText,
  typedLine,
} from '../src/words/problem.ts';
import { type GuildKeys, keyOf, noKeyAfter, noKeyOf, noServer, refusalText } from '../src/words/refusal.ts';
import { cut } from '../src/words/words.ts';
import { enterKey } from './setkey.ts';

export interface AddServerDeps {
  readonly pipeline: Pipeline;
  readonly records: Pick<Records, 'saveDraft' | 'findDraft' | 'isSubmitted'>;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh'>;
  readonly keys: GuildKeys;
  readonly settings: Pick<GuildSettings, 'allowedGames'>;
  readonly suggestions: Pick<Suggestions, 'games'>;
}

/** UTF-16 units of an address as it can be typed. */
const MOST_TYPED = 500;

const DATA: Command['data'] = {
  type: ApplicationCommandType.ChatInput,
  ...commandText('addserver'),
  options: [
    {
      type: ApplicationCommandOptionType.String,
      ...optionText('addserver', 'game'),
      required: true,
      autocomplete: true,
      min_length: 1,
      max_length: LIMITS.choiceValue,
    },
    {
      type: ApplicationCommandOptionType.String,
      ...optionText('addserver', 'server'),
      required: true,
      min_length: 1,
      max_length: MOST_TYPED,
    },
    ...(['port', 'query_port'] as const).map((name) => ({
      type: ApplicationCommandOptionType.Integer as const,
      ...optionText('addserver', name),
      min_value: LOWEST_PORT,
      max_value: HIGHEST_PORT,
    })),
  ],
};

/**
 * /addserver: checks what was typed, sends one server with the guild's key, and relays the service's answer. What is
 * not accepted stays as a draft, and is corrected or sent again with buttons.
 */
export function addServer(deps: AddServerDeps): Command {
  return {
    data: DATA,
    audience: 'member',
    resumes: true,
    complete: ({ guildId }, typed) => gameChoices(deps.suggestions.games(guildId, typed)),
    run: (context) =>
      tryTyped(context, { id: context.interactionId, typed: typedIn(context), isNew: true }, deps),
    presses: {
      again: { answer: 'update', resumes: true, run: (context) => tryDraft(context, context.argument, deps) },
      use: {
        answer: 'update',
        resumes: true,
        run(context) {
          const [id = ''] = context.argument.split(':');
          return tryDraft(context, id, deps, repairIn(context.argument, deps));
        },
      },
      edit: {
        answer: 'modal',
        async run(context) {
          const id = context.argument;
          const found = await deps.records.findDraft(context, id);
          if (typeof found === 'string') throw await noDraft(context, id, deps);
          return editModal(context, id, typedOf(found.draft.rows[0]));
        },
      },
    },
    submits: {
      edit: {
        answer: 'update',
        resumes: true,
        run: (context) => tryTyped(context, { id: context.argument, typed: typedInModal(context) }, deps),
      },
    },
  };
}

const typedIn = ({ options }: CommandContext): TypedRow => ({
  game: (options.getString('game') ?? '').trim(),
  server: options.getString('server') ?? '',
  port: String(options.getInteger('port') ?? ''),
  queryPort: String(options.getInteger('query_port') ?? ''),
});

const typedInModal = ({ field }: SubmitContext): TypedRow => ({
  game: field('game').trim(),
  server: field('server'),
  port: field('port').trim(),
  queryPort: field('query_port').trim(),
});

interface Try {
  /** The draft's. */
  readonly id: string;
  readonly typed: TypedRow;
  /** There is no draft of it yet. */
  readonly isNew?: boolean;
}

/** Submits what was typed, or keeps it and says what is wrong with it. */
async function tryTyped(context: Context, about: Try, deps: AddServerDeps): Promise<Reply> {
  const { id, typed, isNew = false } = about;
  const { records, games, keys, settings } = deps;
  // It may be this very interaction that has submitted it, before the bot was restarted.
  if (!isNew && (await records.isSubmitted(context, id))) return submit(context, { id }, deps);
  const read = await readOneWithGames(typed, games, () => keyOf(context.guildId, keys));
  const draft = draftOfOne(typed, read);
  if (read.ok && isNew) return submit(context, { id, draft }, deps);
  await records.saveDraft(context, id, draft);
  if (read.ok) return submit(context, { id }, deps);
  const unsent = { id, line: typedLine(context.t, typed, games) };
  const noKey = await noKeyOf(context.guildId, keys);
  // Whoever has no key is told that first.
  if (noKey) return refused(context, { ...unsent, refusal: noKey }, deps);
  const game = games.find(typed.game)?.alias;
  // Nor does the rest need to be right for a game that cannot be submitted here.
  if (game !== undefined && settings.allowedGames(context.guildId)?.has(game) === false)
    return refused(context, { ...unsent, refusal: { code: 'game-not-allowed', game } }, deps);
  const { problem } = read;
  const near = problem.code === 'game-unknown' ? nearOf(context, problem.game, deps) : [];
  const text = singleProblemText(context, problem, { near, isListKnown: games.list().fresh });
  return notSent(context, { ...unsent, text }, buttonsOf(id, correctionsOfProblem(context.t, problem, near)));
}

/** Submits a draft, or what it says with something else in a field. */
async function tryDraft(context: Context, id: string, deps: AddServerDeps, repair?: Repair): Promise<Reply> {
  const found = await deps.records.findDraft(context, id);
  // The pipeline knows what became of it.
  if (typeof found === 'string') return submit(context, { id }, deps);
  if (!repair && found.draft.rows.every(({ ok }) => ok)) return submit(context, { id }, deps);
  const typed = typedOf(found.draft.rows[0]);
  return tryTyped(context, { id, typed: repair ? repaired(typed, repair) : typed }, deps);
}

const nearOf = ({ guildId }: Context, typed: string, { suggestions }: AddServerDeps): readonly Game[] =>
  suggestions.games(guildId, typed).slice(0, NEAREST);

async function submit(
  context: Context,
  what: Pick<Order, 'id' | 'draft'>,
  deps: AddServerDeps,
): Promise<Reply> {
  const { guildId, interactionId, receivedAt, user, t } = context;
  const result = await deps.pipeline.submit({ guildId, interactionId, receivedAt, user, ...what });
  if (result.kind === 'no-draft') throw await noDraft(context, what.id, deps);
  if (result.kind === 'ended') return ended(context, result, deps);
  const [row] = result.draft.rows;
  const line = row?.ok ? describe(t, row.submission, deps.games) : '';
  return refused(context, { id: what.id, line, refusal: result.refusal }, deps);
}

/** What was kept is there no more: it was submitted, or is too old. */
const noDraft = async (context: Context, id: string, { records }: AddServerDeps): Promise<UserError> =>
  noServer(context, await records.isSubmitted(context, id));

async function ended(context: Context, result: Ended, { games, keys }: AddServerDeps): Promise<Reply> {
  const { t } = context;
  const [[server], [outcome], restId] = [result.servers, result.outcomes, result.restId];
  if (!server || !outcome) throw new Error('a submission has at least one server');
  const announcement = announcementOf(context, result, games);
  const page = pageOfUnknown(context, result);
  const noKey = restId === undefined ? undefined : await noKeyAfter([outcome], context.guildId, keys);
  const about = { server, noKey };
  const buttons = restId !== undefined && [
    noKey && enterKey(context),
    ...buttonsOf(restId, correctionsAfter(t, outcome)),
    page !== undefined && linkButton(page, t('listing.check')),
  ];
  return {
    content: result.isResumed ? afterRestartText(context, result) : outcomeText(context, outcome, about),
    embeds: [serverEmbed(t, outcome.kind, [describe(t, server, games)])],
    components: buttons ? rows(buttons) : [],
    ...(announcement !== undefined && { announcement }),
  };
}

/** `line`: the server, as in an embed. */
type Unsent = Readonly<Record<'id' | 'line', string>>;

function refused(
  context: Context,
  { refusal, ...unsent }: Unsent & { readonly refusal: Refusal },
  deps: AddServerDeps,
): Reply {
  const near = 'game' in refusal ? nearOf(context, gameNamed(refusal.game, deps.games).name, deps) : [];
  const first = refusal.code.startsWith('key-') && enterKey(context);
  const further = buttonsOf(unsent.id, correctionsAfterRefusal(context.t, refusal, near));
  const text = refusalText(refusal, context, deps.games);
  return notSent(context, { ...unsent, text }, [first, ...further]);
}

const notSent = (
  { t }: Context,
  { line, text }: Unsent & { readonly text: string },
  buttons: readonly (Control | false)[],
): Reply => ({
  content: text,
  embeds: [serverEmbed(t, 'not-sent', [line])],
  components: rows(buttons),
  isRefusal: true,
});

const buttonsOf = (id: string, corrections: readonly Correction[]): readonly Control[] =>
  corrections.map(({ action, repair, label }) => {
    const own = customId('addserver', action, repair ? argumentOf(id, repair) : id);
    return button(own, label, action === 'edit' ? {} : { style: 'primary' });
  });

/** The draft of a button, and what it puts into a field; of an alias that does not fit into its id a hash. */
function argumentOf(id: string, { field, value }: Repair): string {
  const argument = `${id}:${field}:${value}`;
  if (isCustomId(customId('addserver', 'use', argument))) return argument;
  return `${id}:hash:${hash('sha256', value, 'base64url').slice(0, 22)}`;
}

/** The reverse; `undefined`: the list no longer has that game. */
function repairIn(argument: string, { games }: AddServerDeps): Repair | undefined {
  const [id = '', field, ...rest] = argument.split(':');
  if (isField(field)) return { field, value: rest.join(':') };
  const repairs = games.list().games.map(({ alias }): Repair => ({ field: 'game', value: alias }));
  return repairs.find((repair) => argumentOf(id, repair) === argument);
}

const FIELDS = ['game', 'port', 'queryPort'] as const;
const isField = (text: string | undefined): text is Repair['field'] => FIELDS.some((field) => field === text);

/** The window with what was typed in it. */
const editModal = ({ t }: Context, id: string, { game, server, port, queryPort }: TypedRow): Modal => {
  const field = (name: 'game' | 'server' | 'port' | 'query_port', value: string, most: number) => ({
    ...{ id: name, value: cut(value, most), most, label: t(`addserver.field.${name}`) },
    hint: t(`commands.addserver.options.${name}.description`),
  });
  return modal({
    id: customId('addserver', 'edit', id),
    title: t('addserver.edit'),
    fields: [
      { ...field('game', game, LIMITS.choiceValue), least: 1 },
      { ...field('server', server, MOST_TYPED), least: 1 },
      field('port', port, MOST_PORT),
      field('query_port', queryPort, MOST_PORT),
    ],
  });
};
/** Characters of a port as somebody may type it. */
const MOST_PORT = 20;

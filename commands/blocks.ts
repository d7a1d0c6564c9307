import { LIMITS } from '../src/discord/limits.ts';
import {
  type Block,
  type BlockTarget,
  includes,
  MAX_BLOCK_REASON_LENGTH,
  MAX_BLOCKS,
  type NewBlocks,
} from '../src/guilds/blocks.ts';
import { canModerate } from '../src/guilds/settings.ts';
import type { Actions, Context, PressContext, Reply, SubmitContext } from '../src/interactions/command.ts';
import {
  button,
  customId,
  type Field,
  type Modal,
  modal,
  rows,
  select,
  userSelect,
} from '../src/interactions/controls.ts';
import { pageButtons, pageFooter, pageOf, readPage, writePage } from '../src/interactions/pager.ts';
import { UserError } from '../src/interactions/user-error.ts';
import { cut, shorten } from '../src/text/one-line.ts';
import { escapeText, memberText } from '../src/words/escape.ts';
import { problemText } from '../src/words/problem.ts';
import { sentences, whenText } from '../src/words/sentences.ts';
import {
  fittingLines,
  labelledAddress,
  type NamedTarget,
  targetsText,
  withSign,
} from '../src/words/servers.ts';
import type { Translate } from '../src/words/words.ts';
import { type BlockTargetProblem, readBlockTarget } from './block-target.ts';
import type { CommandDeps } from './deps.ts';
import { waitingId } from './submissions/filter.ts';
import { demandModerator } from './submissions/queue.ts';

/* The list of blocked members and addresses. Everyone who can decide on submissions can change it. */

type NamedBlock = Omit<Block, 'target'> & { readonly target: NamedTarget };

const BLOCKS = 'blocks';
const PER_PAGE = 10;
const MAX_TYPED_TARGET_LENGTH = 300;
const MAX_SHOWN_HOST_LENGTH = 80;
const MAX_BLOCKING_ENTRIES_LENGTH = 800;

/** The state in custom ids of a list that was opened in /settings. Otherwise, it was opened in /submissions. */
const FROM_SETTINGS = 's';

export const FIRST_PAGE_IN_SETTINGS = writePage(1, FROM_SETTINGS);

export async function reportBlocks(
  { guildId, user }: Context,
  key: 'blocked' | 'unblocked',
  blocks: readonly Block[],
  { guildLog, approvalMessages, approvals }: Pick<CommandDeps, 'guildLog' | 'approvalMessages' | 'approvals'>,
): Promise<void> {
  const [first] = blocks;
  if (first === undefined) return;
  void approvalMessages.showDue();
  const targets = await namedTargets(guildId, targetsOf(blocks), approvals);
  await guildLog.add(guildId, (t) =>
    [
      `🚫 ${t(`blocks.log.${key}`, {
        member: memberText(user),
        names: targetsText(t, targets),
      })}`,
      key === 'blocked' && escapeText(first.reason, MAX_BLOCK_REASON_LENGTH),
    ]
      .filter(Boolean)
      .join(' · '),
  );
}

/** Adds members' names to targets, as far as they're known from submissions. */
async function namedTargets(
  guildId: string,
  targets: readonly BlockTarget[],
  approvals: Pick<CommandDeps['approvals'], 'namesOf'>,
): Promise<readonly NamedTarget[]> {
  const ids = targets.flatMap((target) => (target.kind === 'member' ? target.id : []));
  const names = await approvals.namesOf(guildId, ids);
  return targets.map((target) =>
    target.kind === 'member' ? { ...target, name: names.get(target.id) ?? '' } : target,
  );
}

async function namedBlocks(
  guildId: string,
  blocks: readonly Block[],
  approvals: Pick<CommandDeps['approvals'], 'namesOf'>,
): Promise<readonly NamedBlock[]> {
  const targets = await namedTargets(guildId, targetsOf(blocks), approvals);
  return blocks.map((block, index) => ({ ...block, target: targets[index] ?? block.target }));
}

const targetsOf = (blocks: readonly Block[]): readonly BlockTarget[] => blocks.map(({ target }) => target);

/** @returns the text for the moderator; '' without chosen targets */
export async function reportDeclineBlocks(
  context: Context,
  targets: readonly BlockTarget[],
  deps: Pick<CommandDeps, 'blocks' | 'guildLog' | 'approvalMessages' | 'approvals'>,
): Promise<string> {
  const { guildId, interactionId } = context;
  if (targets.length === 0) return '';
  const made = await deps.blocks.ofDecision(guildId, interactionId);
  await reportBlocks(context, 'blocked', made, deps);
  return blockedText(context, targets, made, deps);
}

async function blockedText(
  { t, guildId }: Context,
  targets: readonly BlockTarget[],
  made: readonly Block[],
  { approvals, blocks }: Pick<CommandDeps, 'approvals' | 'blocks'>,
): Promise<string> {
  const textOf = async (shown: readonly BlockTarget[]) =>
    targetsText(t, await namedTargets(guildId, shown, approvals));
  if (made.length > 0)
    return withSign('accepted', t('blocks.blocked', { names: await textOf(targetsOf(made)) }));
  const all = await blocks.list(guildId);
  const isBlocked = (target: BlockTarget) => all.some((block) => includes(block.target, target));
  if (!targets.every(isBlocked)) return withSign('not-sent', t('blocks.full', { most: MAX_BLOCKS }));
  const entries = all.filter((block) => targets.some((target) => includes(block.target, target)));
  const lines = (await namedBlocks(guildId, entries, approvals)).map((each) => entryText(t, each));
  return [
    withSign('not-sent', t('blocks.already', { names: await textOf(targets) })),
    fittingLines(t, lines, lines.length, MAX_BLOCKING_ENTRIES_LENGTH),
  ].join('\n');
}

export function createBlockList({
  blocks,
  settings,
  approvals,
}: Pick<CommandDeps, 'blocks' | 'settings' | 'approvals'>) {
  const demand = (context: Context) => demandModerator(context, settings);

  return {
    demand,
    /** @param argument see {@link writePage} */
    async show(context: Context, argument: string, textAbove?: string): Promise<Reply> {
      await demand(context);
      const { t, guildId } = context;
      const { wanted, state } = readPage(argument);
      const isFromSettings = state === FROM_SETTINGS;
      const all = await blocks.list(guildId);
      const page = pageOf({ count: all.length, perPage: PER_PAGE, wanted });
      const onPage = all.slice(page.offset, page.offset + page.limit);
      const shown = await namedBlocks(guildId, onPage, approvals);
      const here = writePage(page.number, isFromSettings ? FROM_SETTINGS : '');
      return {
        content: [textAbove && `${textAbove}\n`, blocksLine(t, all.length), t('blocks.about')]
          .filter(Boolean)
          .join('\n'),
        embeds:
          shown.length === 0
            ? []
            : [
                {
                  description: shown.map((each) => entryText(t, each)).join('\n'),
                  ...pageFooter(context, page),
                },
              ],
        components: rows(
          [userSelect(customId(BLOCKS, 'member', here), t('blocks.member'))],
          [
            select({
              id: customId(BLOCKS, 'lift', here),
              placeholder: t('blocks.lift'),
              options: shown.map((each) => optionFor(t, each)),
            }),
          ],
          [
            button(customId(BLOCKS, 'ask', here), t('blocks.ask')),
            ...pageButtons(context, page, { command: BLOCKS, action: 'list', state }),
            isFromSettings
              ? button(customId('settings', 'open'), t('settings.all'))
              : button(waitingId(), t('blocks.back')),
          ],
        ),
      };
    },
  };
}

export const blocksLine = (t: Translate, number: number): string =>
  number === 0 ? t('blocks.none') : t('blocks.some', { blocked: number });

/** Omits mentions and times, because Discord doesn't show them in menus. */
function optionFor(t: Translate, { id, target, reason, by }: NamedBlock) {
  const { name } = target;
  const label = target.kind === 'member' ? target.id : labelledAddress(target.host, MAX_SHOWN_HOST_LENGTH);
  const details = [name && label, reason, by && t('by.user', { user: `@${by.name}` })].filter(Boolean);
  return {
    label: shorten(name ? `@${name}` : label, LIMITS.choiceName),
    description: shorten(details.join(' · '), LIMITS.choiceDescription),
    value: id,
  };
}

function entryText(t: Translate, { target, reason, by, at }: NamedBlock): string {
  // The menu can't mention a member without a known name, so the id is the only way to find the entry there.
  const id = target.kind === 'member' && target.name === '' ? ` \`${target.id}\`` : '';
  const what = `${targetsText(t, [target])}${id}`;
  const who = by ? t('by.user', { user: memberText(by) }) : t('by.unnamed');
  const parts = [what, escapeText(reason, MAX_BLOCK_REASON_LENGTH), who, whenText(at)];
  return `- ${parts.filter(Boolean).join(' · ')}`;
}

export function blockActions(deps: CommandDeps): Actions {
  const { approvals } = deps;
  const list = createBlockList(deps);

  async function pressMember(context: PressContext): Promise<Modal> {
    await list.demand(context);
    const { t, argument, guildId, values, chosenMember } = context;
    const [id] = values;
    if (id === undefined) throw new UserError(t('settings.choiceGone'));
    if (chosenMember && canModerate(await deps.settings.getOrThrow(guildId), chosenMember)) {
      throw new UserError(t('blocks.noEffect'));
    }
    const chosen = await namedTargets(guildId, [{ kind: 'member', id }], approvals);
    return blockModal(t, `${argument}:${id}`, [reasonField(t, '')], targetsText(t, chosen));
  }

  async function ask(context: PressContext): Promise<Modal> {
    await list.demand(context);
    const { t, argument, shown } = context;
    const { wanted, state } = readPage(argument);
    const [origin = '', isAgain] = state.split(':');
    const { description = '', footer } = Object(isAgain === undefined ? undefined : shown.embeds[0]);
    return blockModal(t, `${writePage(wanted, origin)}:`, [
      {
        id: 'what',
        label: t('blocks.field.what'),
        hint: t('blocks.field.whatHint'),
        example: 'example.com',
        value: cut(String(Object(footer).text ?? ''), MAX_TYPED_TARGET_LENGTH),
        minLength: 1,
        maxLength: MAX_TYPED_TARGET_LENGTH,
      },
      reasonField(t, String(description)),
    ]);
  }

  async function add(context: SubmitContext): Promise<Reply> {
    await list.demand(context);
    const { t, guildId, user, field, argument } = context;
    const { wanted, state } = readPage(argument);
    const [origin = '', id = ''] = state.split(':');
    const here = writePage(wanted, origin);
    const reason = field('reason').trim();
    const typed = id === '' ? field('what').trim() : id;
    const read = readBlockTarget(typed);
    if (!read.ok) {
      return {
        content: withSign('not-sent', notBlockedText(t, read.problem)),
        // Discord rejects empty embeds.
        embeds:
          typed === '' ? [] : [{ ...(reason !== '' && { description: reason }), footer: { text: typed } }],
        components: rows([
          button(customId(BLOCKS, 'ask', `${here}:again`), t('again.edit'), 'primary'),
          button(customId(BLOCKS, 'list', here), t('blocks.title')),
        ]),
        isUserError: true,
      };
    }
    if (read.target.kind === 'member' && read.target.id === user.id)
      throw new UserError(t('blocks.noEffect'));
    const request: NewBlocks = { targets: [read.target], by: user, reason };
    const added = await approvals.block(guildId, request);
    await reportBlocks(context, 'blocked', added, deps);
    return list.show(context, here, await blockedText(context, request.targets, added, deps));
  }

  async function lift(context: PressContext): Promise<Reply> {
    await list.demand(context);
    const { t, guildId, argument, values } = context;
    const removed = await approvals.unblock(guildId, values[0] ?? '');
    if (removed === undefined) return list.show(context, argument, withSign('not-sent', t('blocks.gone')));
    await reportBlocks(context, 'unblocked', [removed], deps);
    const names = targetsText(t, await namedTargets(guildId, [removed.target], approvals));
    return list.show(context, argument, withSign('accepted', t('blocks.unblocked', { names })));
  }

  return {
    presses: {
      list: { answers: 'immediate update', run: (context) => list.show(context, context.argument) },
      member: { answers: 'modal', run: pressMember },
      ask: { answers: 'modal', run: ask },
      lift: { answers: 'update', run: lift },
    },
    submits: { add: { answers: 'update', run: add } },
  };
}

function notBlockedText(t: Translate, problem: BlockTargetProblem): string {
  switch (problem.code) {
    case 'range-too-wide':
      return t('blocks.notBlocked', { short: t('blocks.tooWide') });
    case 'range-in-link':
      return t('blocks.notBlocked', { short: t('blocks.rangeInLink') });
    default:
      return sentences(t('blocks.notBlocked', { short: problemText(problem, t).short }), t('blocks.help'));
  }
}

const blockModal = (t: Translate, argument: string, fields: readonly Field[], chosenMember = ''): Modal =>
  modal({
    id: customId(BLOCKS, 'add', argument),
    title: t('blocks.title'),
    text: [chosenMember, t('blocks.about')].filter(Boolean).join('\n'),
    fields,
  });

const reasonField = (t: Translate, value: string): Field => ({
  id: 'reason',
  label: t('approval.modal.reason'),
  hint: t('blocks.field.reasonHint'),
  value: cut(value, MAX_BLOCK_REASON_LENGTH),
  maxLength: MAX_BLOCK_REASON_LENGTH,
});

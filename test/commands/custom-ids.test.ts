import { expect, it } from 'vitest';
import { createCommands } from '../../commands/index.ts';
import { changeId, modalId } from '../../commands/settings/setting.ts';
import { writeFilter } from '../../commands/submissions/filter.ts';
import { writeSeen } from '../../commands/submissions/list-several.ts';
import { MAX_BLOCKS } from '../../src/guilds/blocks.ts';
import { isCustomId } from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import { markOfRows } from '../../src/submissions/draft.ts';
import { declinedDraftId } from '../../src/submissions/submissions.ts';
import { onlyDeps } from './context.ts';

/** The longest possible Discord id, which is the largest 64-bit number. */
const ID = '18446744073709551615';
const RUN = 'cb9a3b6d-8a3b-4f6e-9f0c-0d7f6a1e2b3c';
/** The longest possible id of a draft. */
const DRAFT = declinedDraftId(RUN);
const MARK_OF_ROWS = markOfRows({ rows: [] });
/** Select menus and modals append this suffix to their custom id. */
const MARK = '#123456';
/** The maximum number of waiting submissions per member. */
const TEN = Array.from({ length: 10 }, (_, n) => ({ id: String(n) }));
const MOST_PAGES = 100;

const filter = writeFilter({
  userId: ID,
  game: '12345678',
  outcome: 'withdrawn',
  server: `[${'1234:'.repeat(8)}1]`,
});
const ownFilter = writeFilter({ userId: ID, game: '', outcome: undefined, server: '' });

/** The longest argument that the bot writes for each action. */
const LONGEST: Readonly<Record<string, string>> = {
  'addserver:new': '',
  'addservers:new': '',
  'blocks:add': `${writePage(MAX_BLOCKS, 's')}:${ID}`,
  'blocks:ask': `${writePage(MAX_BLOCKS, 's')}:again`,
  'blocks:lift': writePage(MAX_BLOCKS, 's'),
  'blocks:list': writePage(MAX_BLOCKS, 's'),
  'blocks:member': writePage(MAX_BLOCKS, 's'),
  'games:all': '',
  'games:page': writePage(MOST_PAGES, 'x'.repeat(60)),
  'keystatus:check': '',
  'panel:new': '',
  'panel:post': '',
  'privacy:cancel': '',
  'privacy:confirm': MARK.slice(1),
  'privacy:erase': '',
  'privacy:forget': '',
  'privacy:forgetme': '',
  'privacy:messages': 'off',
  'removekey:ask': '',
  'removekey:cancel': '',
  'removekey:confirm': new Date(0).toISOString(),
  'setkey:again': `${DRAFT}:123456`,
  'setkey:enter': DRAFT,
  'setkey:save': `${DRAFT}:123456`,
  'settings:change': changeId('log', `anyway:${ID}:mention`, 'approval').replace('settings:change:', ''),
  'settings:open': writePage(MOST_PAGES, 'language'),
  'settings:type': modalId('panels', `${ID}:123456:123456`, 10).replace('settings:type:', ''),
  'submissions:all': `${DRAFT}:${RUN}`,
  'submissions:approve': `${DRAFT}:${RUN}`,
  'submissions:approveall': ID,
  'submissions:approvethese': writeSeen(ID, TEN),
  'submissions:correct': `${DRAFT}:${RUN}:@65535`,
  'submissions:decline': `${DRAFT}:${RUN}`,
  'submissions:declineall': ID,
  'submissions:declines': writeSeen(ID, TEN),
  'submissions:duplicate': `${DRAFT}:${RUN}`,
  'submissions:export': writePage(1, filter),
  'submissions:member': '',
  'submissions:mine': '',
  'submissions:open': '',
  'submissions:page': writePage(MOST_PAGES, filter),
  'submissions:refuse': `${DRAFT}:${RUN}`,
  'submissions:remove': RUN,
  'submissions:resend': `${DRAFT}:${RUN}`,
  'submissions:resubmit': RUN,
  'submissions:turn': writePage(MOST_PAGES, RUN),
  'submissions:undo': `${DRAFT}:${RUN}`,
  'submissions:waiting': writePage(MOST_PAGES, ownFilter),
  'submissions:withdraw': `${DRAFT}:${RUN}:next`,
  'submit:again': `${DRAFT}:anyway`,
  'submit:anew': DRAFT,
  'submit:another': `${ID}:cs2`,
  'submit:anyway': DRAFT,
  'submit:askgame': `${DRAFT}:missing`,
  'submit:cancel': DRAFT,
  'submit:change': `${DRAFT}:invalid:next`,
  'submit:changed': `${DRAFT}:${RUN}:all:next`,
  'submit:choose': `${DRAFT}:2:74`,
  'submit:continue': DRAFT,
  'submit:correct': `${DRAFT}:${RUN}:@65535`,
  'submit:edit': `${DRAFT}:all`,
  'submit:fields': `${DRAFT}:${RUN}:@65535`,
  'submit:game': `${DRAFT}:missing`,
  'submit:include': `${DRAFT}:off`,
  'submit:letters': DRAFT,
  'submit:lines': `${DRAFT}:${RUN}:invalid`,
  'submit:page': `${DRAFT}:2`,
  'submit:paste': DRAFT,
  'submit:ports': DRAFT,
  'submit:query': DRAFT,
  'submit:repair': DRAFT,
  'submit:retyped': DRAFT,
  'submit:send': `${DRAFT}:1000:${MARK_OF_ROWS}`,
  'submit:sendone': `${DRAFT}:${MARK_OF_ROWS}`,
  'submit:take': DRAFT,
  'submit:undo': DRAFT,
  'submit:use': DRAFT,
};

/** Actions that only buttons use. Their custom ids don't have a suffix. */
const WITHOUT_MARK: ReadonlySet<string> = new Set([
  'submissions:approvethese',
  'submissions:export',
  'submissions:page',
]);

/** `createCommands` doesn't call any of its dependencies. */
const { commands, actions } = createCommands(onlyDeps({}));
const declared = [
  ...commands.map((command) => [command.data.name, command] as const),
  ...Object.entries(actions),
].flatMap(([name, { presses = {}, submits = {} }]) =>
  [...Object.keys(presses), ...Object.keys(submits)].map((action) => `${name}:${action}`),
);

it("every action's longest custom id is within Discord's limit", () => {
  expect(Object.keys(LONGEST)).toEqual([...new Set(declared)].toSorted());
  const tooLong = Object.entries(LONGEST)
    .map(([action, argument]) => `${action}:${argument}${WITHOUT_MARK.has(action) ? '' : MARK}`)
    .filter((id) => !isCustomId(id));
  expect(tooLong).toEqual([]);
});

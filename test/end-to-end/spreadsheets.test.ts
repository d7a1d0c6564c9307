import { expect } from 'vitest';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import { botTest, messageOf } from '../support/bot.ts';
import { exportAll, pressSubmit, sendFile } from '../support/people.ts';
import { formulasIn } from '../support/spreadsheets.ts';

const FORMULAS = 'a;=B(1),+C|-D';
const ALIAS = `=${FORMULAS}" =e`;
const it = botTest({ listing: { games: [...SANDBOX_GAMES, { name: 'Evil', alias: ALIAS }] } });

function fileOf(message: ReturnType<typeof messageOf>, name: string): string {
  const text = String(message.file(name));
  expect(formulasIn(text)).toEqual([]);
  return text;
}

/** Returns the columns in which each file contains text from others, marked as text. */
function markedColumns(file: string): readonly string[] {
  const [heading = [], ...rows] = file.split('\r\n').map((line) => line.slice(1, -1).split('","'));
  return heading
    .filter((_, column) => rows.some((cells) => cells[column]?.includes("'=")))
    .map((name) => name.replaceAll(/[^\w]/g, ''));
}

it('untrusted text is never exported as a formula', async ({ guild, admin, discord, listing }) => {
  const place = { id: guild.id, name: '', channelId: admin.channelId };
  const member = discord.person({ guild: place, name: `=${FORMULAS}`, permissions: 0n });
  const cell = `"x.example.org/${FORMULAS}"`;
  const invalid = [
    '=1+1;=1,2,3,4',
    `y.example.org,${cell},,cs2`,
    `y.example.org,1,${cell},cs2`,
    `y.example.org,1,,${cell}`,
  ];
  const ready = Array.from({ length: 11 }, (_, n) => `s${n}.example.org,27015,,Evil`);
  const heading = 'server,port,query_port,game';
  const list = [heading, ...ready, ...invalid, ...invalid, ...invalid].join('\n');
  const preview = messageOf(await sendFile(member, list));
  expect(markedColumns(fileOf(preview, 'preview.csv'))).toEqual(['game']);
  const unsent = fileOf(preview, 'to-fix.csv');
  expect(markedColumns(unsent)).toEqual(['server', 'port', 'query_port', 'game', 'reason']);

  await listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: FORMULAS } });
  const report = await pressSubmit(member, preview);
  expect(markedColumns(fileOf(report, 'report.csv'))).toEqual([
    'server',
    'port',
    'query_port',
    'game',
    'message',
  ]);
  const rejected = fileOf(report, 'rejected.csv');
  expect(markedColumns(rejected)).toEqual(['game', 'reason']);
  expect(fileOf(report, 'not-sent.csv')).toBe(unsent);
  const exported = await exportAll(admin, await admin.slash('submissions'));
  expect(markedColumns(fileOf(exported, 'submissions.csv'))).toEqual(['member', 'game', 'message']);

  // The bot reads its own files back, without the apostrophes.
  const withoutLines = (text: string) => text.replaceAll(/"\d+","(?=[^"]*"\r\n)/g, '"');
  const again = messageOf(await sendFile(member, unsent));
  expect(withoutLines(fileOf(again, 'to-fix.csv'))).toBe(withoutLines(unsent));
  await listing.behave({ kind: 'ok' });
  await pressSubmit(member, await sendFile(member, rejected));
  expect(listing.submitted.slice(-11).map(({ game }) => game)).toEqual(Array(11).fill(ALIAS));
});

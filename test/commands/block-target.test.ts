import { describe, expect, it } from 'vitest';
import { readBlockTarget } from '../../commands/block-target.ts';
import type { BlockTarget } from '../../src/guilds/blocks.ts';

const host = (name: string): BlockTarget => ({ kind: 'host', host: name });
const member = (id: string): BlockTarget => ({ kind: 'member', id });

describe('readBlockTarget()', () => {
  it.each<[typed: string, target: BlockTarget | string]>([
    ['146634305496797257', member('146634305496797257')],
    [' <@146634305496797257> ', member('146634305496797257')],
    ['<@!146634305496797257>', member('146634305496797257')],
    ['Example.COM.', host('example.com')],
    ['play.example.com:27015', host('play.example.com')],
    ['https://example.com/join?x=1', host('example.com')],
    ['http://93.184.216.34:8080', host('93.184.216.34')],
    ['*.example.com', host('example.com')],
    ['https://localhost/', 'reserved-name'],
    ['münchen.de', host('xn--mnchen-3ya.de')],
    ['93.184.216.34', host('93.184.216.34')],
    ['2606:4700:0::1111', host('2606:4700::1111')],
    ['93.184.0.0/16', host('93.184.0.0/16')],
    ['2606:4700::/32', host('2606:4700::/32')],
    ['https://93.184.0.0/16', 'range-in-link'],
    ['http://[2606:4700::]/32', 'range-in-link'],
    ['https://93.184.216.34/join', host('93.184.216.34')],
    ['93.0.0.0/8', 'range-too-wide'],
    ['93.184.216.34/33', 'range-too-wide'],
    ['2606::/31', 'range-too-wide'],
    ['rustserver', 'single-label'],
    ['127.0.0.1', 'not-public'],
    ['two words', 'not-an-address'],
  ])('parses "%s"', (typed, expected) => {
    const read = readBlockTarget(typed);
    expect(read.ok ? read.target : read.problem.code).toEqual(expected);
  });
});

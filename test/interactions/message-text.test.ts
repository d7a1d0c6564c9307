import { expect, it } from 'vitest';
import { messageText } from '../../src/interactions/message-text.ts';

const poll = {
  question: { text: 'a question' },
  answers: [{ answer_id: 1, poll_media: { text: 'an answer' } }],
};
const text = (content: string) => ({ type: 10, content });
/** This text isn't visible in the message. */
const UNSEEN = 'unseen';

it.each<[string, object, readonly string[]]>([
  ['its content', { content: 'a', author: { username: UNSEEN }, id: UNSEEN }, ['a']],
  ['a poll', { content: '', poll }, ['a question', 'an answer']],
  [
    'an embed',
    {
      content: 'a',
      embeds: [
        {
          author: { name: 'b', url: UNSEEN },
          title: 'c',
          description: 'd',
          fields: [{ name: 'e', value: 'f' }, { name: 'g' }],
          footer: { text: 'h' },
        },
      ],
    },
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
  ],
  [
    'a select menu',
    { components: [{ components: [{ custom_id: UNSEEN, placeholder: 'a', options: [{ label: 'b' }] }] }] },
    ['a', 'b'],
  ],
  [
    'nested components',
    {
      components: [
        {
          type: 17,
          components: [text('a'), { type: 9, components: [text('b')], accessory: { label: 'c' } }],
        },
        { type: 12, items: [{ description: 'd', media: { url: UNSEEN } }] },
        { type: 18, label: 'e', component: text('f') },
        { type: 99, content: 'g', components: [{ type: 98, label: 'h' }] },
      ],
    },
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
  ],
  [
    'a forwarded message, but not a referenced one',
    {
      content: 'a',
      referenced_message: { content: UNSEEN },
      message_snapshots: [
        { message: { content: 'b', embeds: [{ title: 'c' }], poll, attachments: [{ title: UNSEEN }] } },
      ],
    },
    ['a', 'b', 'c', 'a question', 'an answer'],
  ],
  [
    'the readable part of an invalid message',
    { content: 5, embeds: null, components: [null, { content: 'a' }], poll: { answers: {} } },
    ['a'],
  ],
])("a message's text includes %s", (_what, message, lines) => {
  expect(messageText(message).split('\n').toSorted()).toEqual(lines.toSorted());
});

it.each([undefined, null, 'x', [], {}])("a message's text is empty for %j", (message) => {
  expect(messageText(message)).toBe('');
});

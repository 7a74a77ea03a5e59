import { expect, test } from 'vitest';
import { errorLocation, framesOf } from '#core/log/stack.ts';

const secret = 'hunter2';
const likeFrames = `cannot read\n    at ${secret} (${secret}.ts:1:2)\n  at ${secret}`;

function causedBy(message: string, Kind: ErrorConstructor = Error): Error {
  return new Kind(message);
}

test('the frames of an error are the lines with its locations, innermost first', () => {
  const frames = framesOf(causedBy('no'));
  expect(frames[0]).toMatch(/^ {4}at causedBy \(.*stack\.test\.ts:\d+:\d+\)$/);
  expect(frames.length).toBeGreaterThan(1);
});

test.each([
  likeFrames,
  `\n    at ${secret} (x.ts:1:2)`,
  `    at ${secret} (x.ts:1:2)`,
  `Error: a\n    at ${secret}:1:2`,
])('lines of the message %j that look like frames are none', (message) => {
  const error = causedBy(message, TypeError);
  expect(framesOf(error).join('\n')).not.toContain(secret);
  expect(framesOf(error)[0]).toContain('at causedBy');
  expect(JSON.stringify(errorLocation(error))).not.toContain(secret);
});

test.each(['', 'another', 'read', 'E'])(
  'a message that was changed later to %j hides nothing of the first',
  (later) => {
    const error = causedBy(likeFrames);
    // The text of a stack is created on first access.
    expect(error.stack).toContain(secret);
    error.message = later;
    expect(framesOf(error)).toEqual([]);
  },
);

test('errors of Node, and errors whose class has another name, have frames', () => {
  class Own extends Error {
    override readonly name = 'OwnName';
  }
  const ofNode = () => {
    try {
      new URL('no address');
    } catch (error) {
      return error as Error;
    }
    return new Error('no error');
  };
  for (const error of [ofNode(), new Own('a'), Object.assign(new Own('b'), { code: 'A' })])
    expect(framesOf(error).length, error.stack ?? '').toBeGreaterThan(0);
});

test('the location of an error is its kind and three frames; for any other thrown value, its type', () => {
  const { error, at } = errorLocation(causedBy(secret, RangeError));
  expect(error).toBe('RangeError');
  expect(at?.match(/\bat /g)).toHaveLength(3);
  expect(at).not.toContain(secret);
  expect(errorLocation(secret)).toEqual({ error: 'string' });
  const bare = causedBy('no');
  delete bare.stack;
  expect(errorLocation(bare)).toEqual({ error: 'Error', at: '' });
});

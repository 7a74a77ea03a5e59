import { expect, test } from 'vitest';
import { keepTemplates } from '#sync/template/naming.ts';

test('a template in use is compiled once, and the least recently used one is evicted', () => {
  const templateOf = keepTemplates(2);
  const [first, second] = [templateOf('first'), templateOf('second')];
  expect(templateOf('first')).toBe(first);
  templateOf('third');
  expect(templateOf('first')).toBe(first);
  expect(templateOf('second')).not.toBe(second);
});

import { expect, test } from 'vitest';
import { keepTemplates } from '../../../lib/sync/template/naming.ts';

test('a template is read once while it is used, and the one used longest ago makes room', () => {
  const templateOf = keepTemplates(2);
  const [first, second] = [templateOf('first'), templateOf('second')];
  expect(templateOf('first')).toBe(first);
  templateOf('third');
  expect(templateOf('first')).toBe(first);
  expect(templateOf('second')).not.toBe(second);
});
